import { doneView } from "../../output/done.ts";
import { decimalsText, readingText } from "../../output/reading.ts";
import { countText, plural } from "../../output/text.ts";
import { readOptOuts } from "../../recipients/opt-outs.ts";
import type { Format } from "../../recipients/row.ts";
import { openSource } from "../../recipients/source.ts";
import type { Context } from "../shared/context.ts";
import { sayHowToEnd } from "../shared/input.ts";
import { stateOf } from "../shared/state.ts";
import { timestamp } from "../shared/times.ts";
import { addToList } from "./edit.ts";
import { countryFor } from "./numbers.ts";

interface ImportFlags {
  readonly country?: string;
  readonly reason?: string;
  readonly toColumn?: string;
  readonly format?: Format;
  readonly skipInvalid?: true;
}

/** Adds the numbers of a file to the opt-outs. Throws a usage error that lists the faulty rows, with nothing added. */
export async function importOptOuts(
  file: string,
  { reason, toColumn, format, skipInvalid, country }: ImportFlags,
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  // Before anyone types numbers that cannot be stored.
  stateOf(host, "opt-outs");
  if (file === "-") sayHowToEnd("the numbers", context);
  const source = openSource(file, host, "optout import");
  const options = {
    country: countryFor(country, host),
    toColumn,
    format,
    skipInvalid: skipInvalid ?? false,
    reason,
    at: timestamp(host),
  };
  const isTyped = file === "-" && host.stdin.isTerminal();
  const { rows, duplicates, invalid, decimals, details } = await presenter.waitFor(
    isTyped ? undefined : () => readingText(source),
    () => readOptOuts(source, options),
  );
  const { added: numbers, optedOut } = await addToList(rows, context);
  const added = numbers.length;
  if (decimals > 0) presenter.warn(decimalsText(decimals));
  for (const detail of details) presenter.note(detail);
  const already = rows.length - added;
  const counts = { added, already, duplicates, invalid, optedOut };
  const others = [
    [already, "had already opted out"],
    [duplicates, "more than once in the file"],
    [invalid, "left out as invalid"],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, what]) => `, ${countText(count)} ${what}`);
  presenter.show(doneView(counts, `Added ${plural(added, "number")} of ${source.name}${rest.join("")}.`));
}
