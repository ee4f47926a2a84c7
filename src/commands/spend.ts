import { invalidOption } from "../errors.ts";
import { showSpend } from "../reports/show-spend.ts";
import { divisions, type Period } from "../reports/spend.ts";
import { isSandboxAt } from "../sending/destination.ts";
import type { Context, Perform } from "../terminal/context.ts";
import { newCommand, type OptionsOf } from "./shared/options.ts";
import { wordOf } from "../sending/option-values.ts";
import { refuseCsvWithJson } from "./shared/typed-values.ts";

export function spendCommand(perform: Perform) {
  return spendOptions().action((_, command) => perform(command, sumMonth));
}

function spendOptions() {
  return newCommand("spend", {
    endsWith: "list",
    description:
      "Sum what the messages of this machine, or of the team that shares its record, cost in a month, in credits and in KES. It also shows how much uncertain messages may have cost.",
    uses: ["profile", "json", "quiet"],
    examples: [
      "sms spend",
      "sms spend --month 2026-11 --by day",
      "sms spend --by run --format csv > november.csv",
      "sms spend --profile shop --json",
    ],
    notes:
      "Months and days are in UTC. What test keys sent and what a sandbox took costs nothing and is counted separately; with the profile of a sandbox only what it took counts.",
  })
    .option("--month <month>", "the month, such as 2026-11 (default: this month)", monthFrom)
    .option("--by <what>", "group by day, key, profile, run or sender (default: key)", wordOf(divisions))
    .option("--format <name>", "csv: a table for a spreadsheet", wordOf(["csv"]));
}

async function sumMonth(
  { month, by, format, profile, json }: OptionsOf<typeof spendOptions>,
  context: Context,
): Promise<void> {
  refuseCsvWithJson(format, json);
  const period = month ?? monthFrom(new Date(context.host.now()).toISOString().slice(0, 7));
  await showSpend({ period, division: by ?? "key", profile, isCsv: format === "csv", isSandboxAt }, context);
}

function monthFrom(text: string): Period {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year !== undefined && month !== undefined)
    return { from: Date.UTC(Number(year), Number(month) - 1), to: Date.UTC(Number(year), Number(month)) };
  throw invalidOption(`--month takes a month, not ${JSON.stringify(text)}`, "give year and month, as in 2026-11");
}
