import { addOptOuts } from "../../guards/opt-out-edits.ts";
import type { OptOut } from "../../guards/opt-out-list.ts";
import { changeOptOuts } from "../../guards/opt-out-store.ts";
import { doneView } from "../../output/done.ts";
import { readingText } from "../../output/reading.ts";
import { plural } from "../../output/text.ts";
import { readOptOuts } from "../../recipients/opt-outs.ts";
import type { Format } from "../../recipients/row.ts";
import { openSource } from "../../recipients/source.ts";
import type { Context } from "../shared/context.ts";
import { sayHowToEnd } from "../shared/input.ts";
import { timestamp } from "../shared/profile-store.ts";
import { stateOf } from "../shared/state.ts";
import { countryFor } from "./numbers.ts";

/** The flags of an import. */
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
  const state = stateOf(host, "opt-outs");
  if (file === "-") sayHowToEnd("the numbers", context);
  const source = openSource(file, host, "the numbers");
  const options = {
    country: countryFor(country, host),
    toColumn,
    format,
    skipInvalid: skipInvalid ?? false,
    reason,
    at: timestamp(host),
  };
  const isTyped = file === "-" && host.stdin.isTerminal();
  const { rows, duplicates, invalid, details } = await presenter.waitFor(
    isTyped ? undefined : () => readingText(source),
    () => readOptOuts(source, options),
  );
  let added = 0;
  const edit = (before: readonly OptOut[]) => {
    const after = addOptOuts(before, rows);
    added = after.added.length;
    return after.list;
  };
  const list = await presenter.waitFor("Waiting to change the opt-outs", () => changeOptOuts(state, host, edit));
  for (const detail of details) presenter.note(detail);
  const already = rows.length - added;
  const counts = { added, already, duplicates, invalid, optedOut: list.length };
  const others = [
    [already, "had already opted out"],
    [duplicates, "more than once in the file"],
    [invalid, "left out as invalid"],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, what]) => `, ${count.toLocaleString("en")} ${what}`);
  presenter.show(doneView(counts, `Added ${plural(added, "number")} of ${source.name}${rest.join("")}.`));
}
