import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldKey, parseTemplate, renderTemplate } from "../../src/message/template.ts";
import { seed } from "../support/seed.ts";

function render(template: string, fields: Record<string, string>) {
  return renderTemplate(parseTemplate(template), fields);
}

describe("a template", () => {
  it.each([
    ["Hi", {}, "Hi"],
    ["", {}, ""],
    ["Hi {{name}}", { name: "Jane" }, "Hi Jane"],
    ["{{name}}", { name: "Jane" }, "Jane"],
    ["{{a}}{{b}}{{a}}", { a: "1", b: "2" }, "121"],
    ["Hi {{ name }}", { name: "Jane" }, "Hi Jane"],
    ["Hi {{Name}}", { name: "Jane" }, "Hi Jane"],
    ["Hi {{first name}}", { "first name": "Jane" }, "Hi Jane"],
    ["Hi {{name|customer}}", { name: "Jane" }, "Hi Jane"],
    ["Hi {{name|customer}}", {}, "Hi customer"],
    ["Hi {{ name | dear customer }}", {}, "Hi dear customer"],
    ["Hi {{name|customer}}", { name: "" }, "Hi customer"],
    ["Hi {{name|customer}}", { name: "  " }, "Hi customer"],
    ["Hi {{name|}}!", {}, "Hi !"],
    ["Hi {{name|a|b}}", {}, "Hi a|b"],
    ["{name} {{name}} }", { name: "Jane" }, "{name} Jane }"],
    ["Hi {{name}}", { name: "{{due}}", due: "5" }, "Hi {{due}}"],
    ["Hi {{name}}", { name: "$& $1 \\" }, "Hi $& $1 \\"],
    ["Hi {{name}}", { name: " Jane " }, "Hi  Jane "],
    [" Hi {{name}} ", { name: "Jane" }, " Hi Jane "],
    ["Hi {{naïve €}}", { "naïve €": "Jane" }, "Hi Jane"],
  ])("%j with %j is %j", (template, fields, text) => {
    expect(render(template, fields)).toEqual({ kind: "text", text });
  });

  it.each([
    ["Hi {{Name}}", {}, "Name"],
    ["Hi {{name}}", { name: "" }, "name"],
    ["Hi {{name}}", { name: " \t" }, "name"],
    ["{{a|x}} {{b}} {{c}}", { a: "1" }, "b"],
    ["Hi {{constructor}}", {}, "constructor"],
    ["Hi {{__proto__}}", {}, "__proto__"],
  ])("%j with %j lacks %s", (template, fields, field) => {
    expect(render(template, fields)).toEqual({ kind: "missing", field });
  });

  it.each([
    ["Hi {{name", "the message has an unclosed {{ at line 1, column 4"],
    ["Hi\nyou {{name}", "the message has an unclosed {{ at line 2, column 5"],
    ["😀 {{name", "the message has an unclosed {{ at line 1, column 3"],
    ["Hi {{name|{x}}}", "the message has an unclosed {{ at line 1, column 4"],
    ["Hi {{{name}}}", "the message has an unclosed {{ at line 1, column 4"],
    ["Hi {{a}} {{b {{c}}", "the message has an unclosed {{ at line 1, column 10"],
    ["Hi {name}}", "the message has a }} without a {{ at line 1, column 9"],
    ["Hi {{}}", "the message has {{}} without a field name at line 1, column 4"],
    ["Hi {{ |x}}", "the message has {{ |x}} without a field name at line 1, column 4"],
  ])("%j is refused: %s", (template, message) => {
    expect(() => parseTemplate(template)).toThrow(
      expect.objectContaining({ kind: "usage", errorCode: "INVALID_TEMPLATE", message }),
    );
  });

  it("renders any values between any literals unchanged", () => {
    const literal = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[{}]/g, ""));
    const value = fc.string({ unit: "binary" }).filter((text) => text.trim() !== "");
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && !/[{}|]/.test(text));
    const holds = fc.property(fc.array(fc.tuple(literal, name, value)), literal, (places, last) => {
      const values = new Map(places.map(([, key, content]) => [fieldKey(key), content]));
      const template = places.map(([before, key]) => `${before}{{${key}}}`).join("") + last;
      const text = places.map(([before, key]) => before + values.get(fieldKey(key))).join("") + last;
      expect(render(template, Object.fromEntries(values))).toEqual({ kind: "text", text });
    });
    fc.assert(holds, { seed });
  });
});
