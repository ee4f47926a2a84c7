import { invalidOption } from "../../errors.ts";

export function encodingName(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw invalidOption(
      `--encoding does not take ${JSON.stringify(name)}`,
      "give a name such as windows-1252, macintosh, windows-1251 or utf-16le",
    );
  }
}
