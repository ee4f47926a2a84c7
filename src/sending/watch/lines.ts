/** A line may be of any length, and may never end; the limit is in UTF-16 code units. */
const mostOfLine = 64 * 1024;

/** Lines are only shown, so bytes that are not UTF-8 are replaced. */
export function lineReader(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  const read = (text: string) => {
    const lines = (rest + text).split("\n").map((line) => line.slice(0, mostOfLine));
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") onLine(line.replace(/\r$/, ""));
  };
  return {
    read: (bytes: Uint8Array): void => read(decoder.decode(bytes, { stream: true })),
    end: (): void => read(`${decoder.decode()}\n`),
  };
}
