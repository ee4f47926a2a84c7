import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/terminal/redact.ts";
import { jsonLine, visible } from "../../src/terminal/text.ts";

describe("a redactor", () => {
  it.each([
    ["sk_live_0123456789", "sk_live_[redacted]"],
    ["--api-key=sk_test_a.b-c_d~e", "--api-key=sk_test_[redacted]"],
    ["https://sk_live_abc@sms.example.com", "https://sk_live_[redacted]@sms.example.com"],
    ['{"key":"sk_live_abc","error":"x"}', '{"key":"sk_live_[redacted]","error":"x"}'],
    ["sk_live_…a1b2", "sk_live_…a1b2"],
    ["a key starts with sk_test_ or sk_live_", "a key starts with sk_test_ or sk_live_"],
  ])("knows the form of keys: %s", (text, clean) => {
    expect(createRedactor().redact(text)).toBe(clean);
  });

  it("takes the whole of an unknown key out of the text of others, whatever it holds", () => {
    const text = `unknown option '--api-key=sk_live_abc"d!e%f'`;
    expect(createRedactor().redactForeign(text)).toBe("unknown option '--api-key=sk_live_[redacted]'");
  });

  it("takes out what it learnt, also as JSON and as a URL write it", () => {
    const redactor = createRedactor();
    redactor.learn('sk_live_a"b/c!');
    const base64 = Buffer.from('sk_live_a"b/c!').toString("base64");
    const forms = ['sk_live_a"b/c!', 'sk_live_a\\"b/c!', "sk_live_a%22b%2Fc!", base64];
    expect(forms.map((form) => redactor.redact(form))).toEqual(forms.map(() => "[redacted]"));
  });

  it("takes out what follows the prefix of a key, unless it may be a word of ours", () => {
    const redactor = createRedactor();
    redactor.learn("sk_live_0123456789");
    redactor.learn("sk_test_sandbox");
    expect(redactor.redactForeign("bad token 0123456789")).toBe("bad token [redacted]");
    expect(redactor.redactForeign("a sandbox")).toBe("a sandbox");
    redactor.reveal("sk_live_0123456789");
    expect(redactor.redactForeign("bad token 0123456789")).toBe("bad token 0123456789");
  });

  it("takes a password that is a word out of the words of others only", () => {
    const redactor = createRedactor();
    redactor.learnWord("sandbox");
    expect(redactor.redact('"mode":"sandbox"')).toBe('"mode":"sandbox"');
    expect(redactor.redactForeign("wrong password: sandbox")).toBe("wrong password: [redacted]");
  });

  it("shows a key that is revealed, and no longer one", () => {
    const redactor = createRedactor();
    redactor.reveal("sk_test_sandbox");
    expect(redactor.redact("sk_test_sandbox sk_test_sandbox2")).toBe("sk_test_sandbox sk_test_[redacted]");
  });

  it("shows a key that is revealed, though it was learnt", () => {
    const redactor = createRedactor();
    redactor.learn("sk_test_sandbox");
    redactor.learn("sk_test_other");
    redactor.reveal("sk_test_sandbox");
    expect(redactor.redact("sk_test_sandbox sk_test_other")).toBe("sk_test_sandbox [redacted]");
  });
});

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
