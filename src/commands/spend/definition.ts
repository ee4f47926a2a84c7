import { Command } from "@commander-js/extra-typings";
import { divisions } from "../../record/division.ts";
import type { Run } from "../shared/context.ts";
import { withExamples } from "../shared/examples.ts";
import { oneOf, single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms spend`: its flags and its help. */
export function spendCommand(run: Run) {
  const spend = new Command("spend")
    .summary("sum what the messages of this machine cost in a month")
    .description(
      "Sum what the messages of this machine cost in a month, in credits and in KES. It also shows how much uncertain messages may have cost, and how many credits others used from the account, as far as the balances on the receipts show.",
    )
    .option("--month <month>", "the month, such as 2026-11 (default: this month)", single("--month"))
    .option("--by <what>", "group by day, key, run or sender (default: key)", oneOf("--by", divisions))
    .option("--csv", "print a table for a spreadsheet")
    .action((flags, command) =>
      run(command, async (options, context) =>
        (await import("./spend.ts")).showSpend({ ...flags, ...options }, context),
      ),
    );
  return withExamples(
    withGlobalOptions(spend, ["json", "quiet"]),
    ["sms spend", "sms spend --month 2026-11 --by day", "sms spend --by run --csv > november.csv", "sms spend --json"],
    "Months and days are in UTC. Test messages cost nothing and are counted separately.",
  );
}
