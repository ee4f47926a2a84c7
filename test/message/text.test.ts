import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { requireText, composeText, fieldKey, parseTemplate, renderTemplate } from "../../src/message/text.ts";
import { anyText } from "./texts.ts";
import { seed } from "../support/seed.ts";

function render(template: string, fields: Record<string, string>) {
  return renderTemplate(parseTemplate(template), fields);
}

describe("a template", () => {
  it.each([
    ["{{a}}{{b}}{{a}}", { a: "1", b: "2" }, "121"],
    ["Hi {{Name}}", { name: "Jane" }, "Hi Jane"],
    ["Hi {{name|customer}}", { name: "Jane" }, "Hi Jane"],
    ["Hi {{name|customer}}", {}, "Hi customer"],
    ["Hi {{name|customer}}", { name: "  " }, "Hi customer"],
    ["Hi {{name|}}!", {}, "Hi !"],
    ["Hi {{name|a|b}}", {}, "Hi a|b"],
    ["{name} {{name}} }", { name: "Jane" }, "{name} Jane }"],
    ["Hi {{name}}", { name: "{{due}}", due: "5" }, "Hi {{due}}"],
    ["Hi {{name}}", { name: "$& $1 \\" }, "Hi $& $1 \\"],
    ["{{% paid}}, {{due%}}", { "% paid": "5", "due%": "7" }, "5, 7"],
  ])("%j with %j is %j", (template, fields, text) => {
    expect(render(template, fields)).toEqual({ kind: "text", text });
  });

  it.each([
    ["Hi {{Name}}", {}, "Name"],
    ["Hi {{name}}", { name: " \t" }, "name"],
    ["{{a|x}} {{b}} {{c}}", { a: "1" }, "b"],
    ["Hi {{__proto__}}", {}, "__proto__"],
  ])("%j with %j lacks %s", (template, fields, field) => {
    expect(render(template, fields)).toEqual({ kind: "missing", field });
  });

  it.each([
    ["Hi {{name", "the message has an unclosed {{ at line 1, column 4"],
    ["Hi\nyou {{name}", "the message has an unclosed {{ at line 2, column 5"],
    ["Hi {{name|{x}}}", "the message has an unclosed {{ at line 1, column 4"],
    ["Hi {{a}} {{b {{c}}", "the message has an unclosed {{ at line 1, column 10"],
    ["Hi {name}}", "the message has a }} without a {{ at line 1, column 9"],
    ["Hi {{}}", "the message has {{}} without a field name at line 1, column 4"],
    ["Hi\n{% if a %}", "the message has {% if a %} at line 2, column 1, which is of another template language"],
    ...["upper", "trim", "default('you')", 'default:"you"', "replace: 'a', 'b'"].map((filter): [string, string] => [
      `Hi {{name | ${filter}}}`,
      `the message has {{name | ${filter}}} at line 1, column 4, and ${filter} is a filter of another language`,
    ]),
    [
      "{{name | upper | default('you')}}",
      "the message has {{name | upper | default('you')}} at line 1, column 1, and upper is a filter of another language",
    ],
  ])("%j is refused: %s", (template, message) => {
    const refusal = { kind: "usage", errorCode: "INVALID_TEMPLATE", message };
    expect(() => parseTemplate(template)).toThrow(expect.objectContaining(refusal));
  });

  it.each(["customer(s)", "title deed", "default", "Upper Hill", ""])("a default may be %j", (text) => {
    expect(render(`{{name|${text}}}`, {})).toEqual({ kind: "text", text });
  });

  it("renders any values between any literals, and composes the whole", () => {
    const literal = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[{}]/g, ""));
    const value = anyText.filter((text) => text.trim() !== "");
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && !/[{}|]/.test(text));
    const holds = fc.property(fc.array(fc.tuple(literal, name, value)), literal, (places, last) => {
      const values = new Map(places.map(([, key, content]) => [fieldKey(key), content]));
      const template = places.map(([before, key]) => `${before}{{${key}}}`).join("") + last;
      const text = places.map(([before, key]) => before + values.get(fieldKey(key))).join("") + last;
      const composed = { kind: "text", text: composeText(text) };
      expect(render(template, Object.fromEntries(values))).toEqual(composed);
    });
    fc.assert(holds, { seed });
  });
});

describe("requireText", () => {
  test.each([
    ["1600 code units of surrogate pairs", "😀".repeat(800)],
    ["control characters other than NUL", "\u0001\u0085\u001b\u007f"],
    ["noncharacters and joiners", "\ufffe\u200d"],
  ])("returns %s unchanged", (_, text) => {
    expect(requireText(text)).toBe(text);
  });

  const loneSurrogate = "the message has half a character (lone surrogate";
  const halfHint = "restore the whole character, or remove the half";
  const tooLong = (units: string) => `the message has ${units} characters (UTF-16 code units); the limit is 1,600`;
  test.each([
    ["", "EMPTY_MESSAGE", "the message is empty", "give a text of at least one character"],
    [" \t\r\n\u00a0", "EMPTY_MESSAGE", "the message is empty", "give a text of at least one character"],
    ["a".repeat(1601), "MESSAGE_TOO_LONG", tooLong("1,601"), "shorten it by 1"],
    ["ab\ud83d", "INVALID_MESSAGE", `${loneSurrogate} U+D83D) at line 1, column 3`, halfHint],
    ["😀\n😀 \udc00", "INVALID_MESSAGE", `${loneSurrogate} U+DC00) at line 2, column 3`, halfHint],
    [
      "a\r\n😀\n\nb\0",
      "INVALID_MESSAGE",
      "the message has a NUL at line 4, column 2",
      "remove it; if the file is UTF-16, convert it to UTF-8",
    ],
  ])("refuses %j as %s", (text, errorCode, message, hint) => {
    const refusal = expect.objectContaining({ kind: "usage", errorCode, message, hint });
    expect(() => requireText(text)).toThrow(refusal);
  });
});

describe("composeText", () => {
  test.each([
    ["CR LF and CR become LF", "a\r\nb\rc", "a\nb\nc"],
    ["accents are composed", "Cafe\u0301", "Caf\u00e9"],
    ["white space at the end goes", "\u00a0 a \u00a0\t\r\n\r\n", "\u00a0 a"],
    ["what joins letters stays", "a\u200d\u200c", "a\u200d\u200c"],
  ])("%s", (_, text, expected) => {
    expect(composeText(text)).toBe(expected);
    expect(requireText(text)).toBe(expected);
  });
});
