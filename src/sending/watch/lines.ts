/** A line may be of any length, and may never end; the limit is in UTF-16 code units. */
const mostOfLine = 64 * 1024;

/** Lines are only shown, so bytes that are not UTF-8 are replaced. */
export function lineReader(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  const take = (text: string, hasEnd: boolean) => {
    const room = mostOfLine - rest.length;
    const line = rest + (text.length > room ? text.slice(0, room) : text);
    rest = hasEnd ? "" : line;
    if (hasEnd && line.trim() !== "") onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  const read = (text: string) => {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      take(text.slice(start, end), true);
      start = end + 1;
    }
    take(text.slice(start), false);
  };
  return {
    read: (bytes: Uint8Array): void => read(decoder.decode(bytes, { stream: true })),
    end: (): void => read(`${decoder.decode()}\n`),
  };
}
