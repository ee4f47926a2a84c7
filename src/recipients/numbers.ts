import { invalidOption, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Country } from "../message/number.ts";
import { mendedBy } from "./faults.ts";
import { listFile, isList } from "./groups.ts";
import type { RowGuards } from "./hold.ts";
import { prepareMessages } from "./list-messages.ts";
import { commentedTexts } from "./list-texts.ts";
import type { Notes } from "./notes.ts";
import { openRecipients, readRecipients } from "./read.ts";
import { ListFacts, openSource } from "./source.ts";
import type { Context } from "../terminal/context.ts";

/** The number of a list that has only this one, as its row has it. Only a run sends texts of a row and fills in its fields. */
export async function onlyNumberOf(
  list: string,
  mayHaveFields: boolean,
  { host, presenter }: Pick<Context, "host" | "presenter">,
): Promise<string | undefined> {
  let only: string | undefined;
  const facts = new ListFacts();
  for await (const row of readRecipients(openSource(listFile(list.slice(1), host), host, "--to"), { facts })) {
    if (only !== undefined || row.kind !== "row" || Object.keys(row.own ?? {}).length > 0) return undefined;
    if (!mayHaveFields && Object.values(row.fields).some((value) => value !== row.to)) return undefined;
    // A run refuses words beside a number, and says how to mend the list.
    if (/\p{L}/u.test(row.to)) return undefined;
    only = row.to;
  }
  for (const text of commentedTexts(facts)) presenter.insist(`${list} passes over ${text}`);
  return only;
}

/** Returns a number as it is, and the number of a list that has only this one. Throws a usage error for another list. */
export async function requireOneNumber(to: string, context: Context): Promise<string> {
  const number = isList(to) ? await onlyNumberOf(to, true, context) : to;
  if (number !== undefined) return number;
  throw invalidOption(`notify texts one number, and ${to} is not a list of one`, "give the number");
}

/** Throws a usage error that lists all faults, or if nobody is left. */
export async function numbersOf(
  to: readonly string[],
  rowGuards: RowGuards,
  country: Country | undefined,
  host: Host,
  onNotes: (notes: Notes, facts: ListFacts) => void,
): Promise<readonly [string, ...string[]]> {
  const numbers = new Set<string>();
  const typedNumbers = to.filter((name) => !isList(name));
  for (const list of new Set([...(typedNumbers.length > 0 ? [undefined] : []), ...to.filter(isList)])) {
    const source = list === undefined ? undefined : openSource(listFile(list.slice(1), host), host, "--to");
    const recipients = openRecipients(list === undefined ? typedNumbers : [], source, {
      country,
      mend: source && mendedBy({ file: source.name, country, output: "NEW.csv" }),
    });
    const request = {
      recipients,
      country,
      guards: rowGuards.guardsOfLists,
      guardsOfRecord: rowGuards.guardsOfRecord,
      // Only the numbers are taken.
      text: "any",
      allowDuplicates: true,
    };
    const { planRows, notes } = prepareMessages(request);
    for await (const row of planRows) if (row.kind !== "left-out") numbers.add(row.to);
    onNotes(notes, recipients.facts);
  }
  const [first, ...others] = numbers;
  if (first === undefined) throw usageError("NO_RECIPIENT", "no recipient of --to is left", "see who was left out");
  return [first, ...others];
}
