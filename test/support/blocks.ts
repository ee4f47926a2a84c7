import { readFileSync } from "node:fs";

interface Block {
  readonly language: string;
  readonly code: string;
}

export function blocks(path: string): readonly Block[] {
  const found = readFileSync(path, "utf8").matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...found].map(([, language = "", code = ""]) => ({ language, code }));
}

export function blockWith(path: string, text: string): string {
  const [found, another] = blocks(path).filter(({ code }) => code.includes(text));
  if (found === undefined || another !== undefined) throw new Error(`${path} has not one block with ${text}`);
  return found.code;
}
