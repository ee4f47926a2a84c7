import { usageError } from "../errors.ts";
import { memberNames, ownFields } from "../message/fields.ts";
import { fieldKey, type Fields, keyAdvice } from "../message/text.ts";
import { keyLike } from "../words/key-like.ts";
import { faultFrom, type Row, textKey } from "./row.ts";

const keyOfMember = new Map(memberNames.map((name) => [name, fieldKey(name)]));

export const memberKeys: readonly string[] = [...keyOfMember.values()];

/** Programs write one of these for no value. */
const noValue = /^\s*(?:NULL|null|NaN|nan|None|#?[Nn]\/[Aa]|<none>)\s*$/;

export function isNoValue(text: string): boolean {
  return noValue.test(text);
}

/** A spreadsheet writes these, in the language of its user, if a formula failed, or if a column is too narrow. */
const errorValues = [
  "#¡?(?:REF|DIV/0|VALUE|NUM|NULL|ERROR|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|PYTHON)!",
  "#¡?(?:BEZUG|WERT|ZAHL|VALEUR|NOMBRE|NUL|VALOR|NÚM|NULO)!",
  "#¿?(?:NAME|NOM|NOME|NOMBRE)\\?",
  "#(?:NV|N/D|GETTING_DATA|#{2,})",
  "Err:\\d{3}",
];

const errorPattern = new RegExp(`^\\s*(?:${errorValues.join("|")})\\s*$`, "iu");

export function errorText(text: string): string | undefined {
  return errorPattern.test(text) ? `it has the error ${text.trim()}` : undefined;
}

/** A column may be named `__proto__`, under which an assignment stores nothing. */
export function setField(fields: Record<string, string>, key: string, value: string): void {
  if (key === "__proto__") Object.defineProperty(fields, key, { value, enumerable: true });
  else fields[key] = value;
}

/** Blank cells count as absent. */
export function rowOf(line: number, to: string, fields: Fields): Row {
  const get = (name: string) => {
    const text = fields[keyOfMember.get(name) ?? name];
    if (text === undefined || text.trim() === "") return undefined;
    // A text that is sent is refused as texts are.
    if (name === textKey || !keyLike.test(text)) return text;
    throw usageError("INVALID_MESSAGE", `its ${name} has an API key in it`, keyAdvice);
  };
  try {
    return { kind: "row", line, to, fields, own: ownFields(get) };
  } catch (error) {
    return { kind: "row", line, to, fields, spoilt: faultFrom(error, line) };
  }
}
