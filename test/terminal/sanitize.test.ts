import { describe, expect, it } from "vitest";
import { jsonLine, visible } from "../../src/terminal/redact.ts";

const controls = "\0\u0007\b\t\n\r\u001b\u007f\u0085\u0090\u009b";
const hazards = Array.from(`${controls}\u061c\u200e\u2028\u2029\u202e\u2066\ufeff`);

describe("visible", () => {
  it.each(hazards)("makes %j visible", (hazard) => {
    const code = `\\u${hazard.charCodeAt(0).toString(16).padStart(4, "0")}`;
    expect(visible(`a${hazard}b${hazard}`)).toBe(`a${code}b${code}`);
  });

  it("leaves letters, emoji and joiners as they are", () => {
    const text = "Ünïcödé 你好 👨‍👩‍👧‍👦 ’";
    expect(visible(text)).toBe(text);
  });
});

describe("jsonLine", () => {
  it.each(hazards)("escapes %j so that it parses back", (hazard) => {
    const value = { error: `a${hazard}b` };
    const line = jsonLine(value);
    expect(line.slice(0, -1)).not.toContain(hazard);
    expect(JSON.parse(line)).toEqual(value);
  });

  it("is one line", () => {
    expect(jsonLine({ a: "1\n2", b: undefined })).toBe('{"a":"1\\n2"}\n');
  });
});
