import { readFileSync } from "node:fs";

/** A code block of a document. */
interface Block {
  readonly language: string;
  readonly code: string;
}

/** Returns the code blocks of a document. */
export function blocks(path: string): readonly Block[] {
  const found = readFileSync(path, "utf8").matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...found].map(([, language = "", code = ""]) => ({ language, code }));
}

/** Returns the code of the only block that has this text in it. */
export function blockWith(path: string, text: string): string {
  const [found, another] = blocks(path).filter(({ code }) => code.includes(text));
  if (found === undefined || another !== undefined) throw new Error(`${path} has not one block with ${text}`);
  return found.code;
}
