import { usageError } from "../../errors.ts";
import { spendView } from "../../output/spend.ts";
import type { Division } from "../../record/division.ts";
import { type Period, readSpend } from "../../record/spend.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { whileReadingHistory } from "../shared/history-reading.ts";
import { stateOf } from "../shared/state.ts";
import { warnOfUnread } from "../shared/unread.ts";

interface SpendOptions extends GlobalOptions {
  readonly month?: string;
  readonly by?: Division;
  readonly csv?: boolean;
}

/** Shows what a month cost. */
export async function showSpend(
  { month, by: division = "key", csv = false, json }: SpendOptions,
  { host, presenter }: Context,
): Promise<void> {
  if (csv && json) throw usageError("INVALID_OPTION", "--csv and --json are both given", "give one of them");
  const period = monthFrom(month ?? new Date(host.now()).toISOString().slice(0, 7));
  const spend = await whileReadingHistory(presenter, (onShare) =>
    readSpend(stateOf(host, "the history"), period, division, onShare),
  );
  warnOfUnread(spend, presenter);
  presenter.show(spendView(spend, { division, csv }));
}

/** Returns the month of a text such as `2026-11`. Throws a usage error `INVALID_OPTION`. */
function monthFrom(text: string): Period {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year !== undefined && month !== undefined) {
    return { from: Date.UTC(Number(year), Number(month) - 1), to: Date.UTC(Number(year), Number(month)) };
  }
  throw usageError(
    "INVALID_OPTION",
    `--month takes a month, not ${JSON.stringify(text)}`,
    "give year and month, as in 2026-11",
  );
}
