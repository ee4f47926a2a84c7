import { hash } from "node:crypto";
import { membersOf } from "../message/fields.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { renderTemplate } from "../message/text.ts";
import { type CheckOptions, differs, type RepeatedRows, type Skipped } from "./check.ts";
import { lineText, type Row, type RowFault } from "./row.ts";

/** The numbers and messages of the rows so far, of which each message is sent once to its number. */
export class RowRepeats implements RepeatedRows {
  readonly #numbers = new NumberSet();
  readonly #messages = new NumberSet();
  /** Numbers whose first row is known to have another message than a later one. */
  readonly #differing = new NumberSet();
  readonly #options: CheckOptions;
  /** The members of the message of a row that has no field, text or sender of its own; undefined if the rows need them. */
  readonly #usual: string | undefined;

  constructor(options: CheckOptions) {
    this.#options = options;
    const { template } = options;
    const rendering = template?.fields.length === 0 ? renderTemplate(template, {}) : undefined;
    this.#usual = rendering?.kind === "text" ? this.#membersText({}, rendering.text) : undefined;
  }

  /** Returns a message to a number as a key. The usual message is the number itself, which is below all other keys. */
  keyOf(row: Row, to: string, text: string): number {
    const isUsual = this.#usual !== undefined && Object.keys(row.own ?? {}).length === 0;
    const members = isUsual ? this.#usual : this.#membersText(row, text);
    if (members === this.#usual) return numberKey(to);
    return 2 ** 52 + Number.parseInt(hash("sha256", `${to}\n${members}`).slice(0, 13), 16);
  }

  find({ where, line }: Row, to: string, message: number): Skipped | RowFault | undefined {
    const { allowDuplicates, hasFile = true } = this.#options;
    const placeOf = (other: number) => (where === undefined ? lineText(other, hasFile) : `row ${other}`);
    const sameLine = this.#messages.lineOf(message);
    if (sameLine !== undefined)
      return { kind: "skipped", line, to, because: "duplicate", reason: `${to} is already on ${placeOf(sameLine)}` };
    const firstLine = this.#numbers.lineOf(numberKey(to));
    if (firstLine === undefined || allowDuplicates) return undefined;
    const isNew = this.#differing.add(numberKey(to));
    const first = isNew ? { where: where && placeOf(firstLine), ...differs(firstLine, to, placeOf(line)) } : undefined;
    return { ...differs(line, to, placeOf(firstLine)), first };
  }

  add(line: number, to: string, message: number): void {
    this.#numbers.add(numberKey(to), line);
    this.#messages.add(message, line);
  }

  #membersText({ own }: Pick<Row, "own">, text: string): string {
    return JSON.stringify(membersOf({ ...this.#options.shared, ...own, text, to: "" }));
  }
}
