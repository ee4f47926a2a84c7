import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { withExamples } from "../shared/examples.ts";
import { number, single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";
import { moment, span } from "../shared/times.ts";

/** `sms history`: its flags and its help. */
export function historyCommand(run: Run) {
  const history = new Command("history")
    .summary("list what this machine sent, with the outcomes")
    .description(
      "List every send of this machine, single messages and runs, the latest first: when, with which key, to which number, the outcome and the cost. The text is never kept, and only enough of a number to recognise it.",
    )
    .option("--to <number>", "only to this number", single("--to"))
    .option("--since <time>", "only since a date, or within a time span such as 7d or 24h", moment("--since"))
    .option(
      "--limit <n>",
      "at most n, the latest (default: 50; with --json all)",
      number("--limit", "a whole number of entries", 1, 1_000_000_000),
    )
    .option("--prune <span>", "delete what is older than a time span such as 90d", span("--prune"))
    .action((flags, command) =>
      run(command, async (options, context) => {
        const { pruneEntries, showHistory } = await import("./history.ts");
        await (flags.prune === undefined
          ? showHistory({ ...flags, ...options }, context)
          : pruneEntries({ ...flags, prune: flags.prune }, context));
      }),
    );
  return withExamples(
    withGlobalOptions(history, ["json"]),
    [
      "sms history",
      "sms history --to +254712345678 --since 7d",
      "sms history --since 2026-11-01 --json",
      "sms history --prune 90d",
    ],
    "SMS_HISTORY=off, or `sms profiles set history off`, turns the history off.",
  );
}
