import { hash } from "node:crypto";
import { membersOf, type OwnFields } from "../message/fields.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { renderTemplate, type Template } from "../message/text.ts";
import { differs, lineText, type Row, type RowFault, type RowLeftOut } from "./row.ts";

export interface DuplicateOptions {
  readonly template?: Template;
  /** A message has these fields, unless its row has its own. */
  readonly usual?: OwnFields;
  readonly allowDuplicates?: boolean;
  /** False if all rows are numbers of --to. */
  readonly hasFile?: boolean;
}

/** Each message is sent once to its number. A single row has none before it. */
export class Duplicates {
  readonly #numbers = new NumberSet();
  readonly #messages = new NumberSet();
  /** A later row has another message than the first row of these numbers. */
  readonly #differing = new NumberSet();
  readonly #options: DuplicateOptions;
  /** Undefined if the rows fill in the text. */
  readonly #usualText: string | undefined;
  /** The members of a row that has none of its own, without number and text. */
  readonly #sharedMembers: string;

  constructor(options: DuplicateOptions) {
    this.#options = options;
    const { template } = options;
    const rendering = template?.fields.length === 0 ? renderTemplate(template, {}) : undefined;
    this.#usualText = rendering?.kind === "text" ? rendering.text : undefined;
    this.#sharedMembers = this.#membersOf({});
  }

  /** The key of the usual message is the number itself, which is below all other keys. */
  keyOf(row: Row, to: string, text: string): number {
    const hasOwn = Object.keys(row.own ?? {}).length > 0;
    const members = hasOwn ? this.#membersOf(row) : this.#sharedMembers;
    if (text === this.#usualText && members === this.#sharedMembers) return numberKey(to);
    return 2 ** 52 + hashKey(`${to}\n${members}\n${text}`);
  }

  /** Undefined if the row is sent. */
  find({ where, line }: Row, to: string, message: number): RowLeftOut | RowFault | undefined {
    const { allowDuplicates, hasFile = true } = this.#options;
    const placeOf = (other: number) => lineText(other, hasFile, where && "row");
    const sameLine = this.#messages.lineOf(message);
    if (sameLine !== undefined) {
      const details = `already on ${placeOf(sameLine)}`;
      return { kind: "left-out", line, to, reason: "duplicate", details, sentence: `${to} is ${details}` };
    }
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

  #membersOf(row: Pick<Row, "own">): string {
    return JSON.stringify(membersOf({ ...this.#options.usual, ...row.own, text: "", to: "" }));
  }
}

/** The key of no text is 0. */
export function hashKey(text: string): number {
  return Number.parseInt(hash("sha256", text).slice(0, 13), 16) + 1;
}
