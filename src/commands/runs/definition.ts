import { Command } from "@commander-js/extra-typings";
import { defaultRetries, defaultTimeout, limits } from "../shared/limits.ts";
import { choosing, type GlobalFlags, oneOf, single, withGlobalOptions } from "../shared/options.ts";
import { usageError } from "../../errors.ts";

/** What `sms runs resume` is given beside the name. */
export interface ResumeFlags {
  readonly retry?: readonly ("rejected" | "uncertain")[];
  readonly yes?: true;
  readonly maxCredits?: number;
  readonly rate?: number;
  readonly tier?: "free" | "starter" | "professional";
  readonly concurrency?: number;
  readonly timeout: number;
  readonly retries: number;
}

/** One of the verbs of `sms runs`. */
export type RunsVerb =
  | { readonly kind: "list" }
  | { readonly kind: "show"; readonly name: string; readonly failed: boolean }
  | { readonly kind: "resume"; readonly name: string; readonly flags: ResumeFlags }
  | { readonly kind: "export"; readonly name: string; readonly format: "csv" | "ndjson" }
  | { readonly kind: "remove"; readonly name: string };

type Run = (verb: RunsVerb, flags: GlobalFlags) => Promise<void>;

/** `sms runs`: its verbs and their help. */
export function runsCommand(run: Run) {
  const runs = new Command("runs")
    .summary("the recorded runs of send")
    .description("Shows, continues, exports and forgets the runs that `sms send` has recorded.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ sms runs list\n  $ sms runs show topup --failed\n  $ sms runs resume topup",
    );
  const verb = (name: string, summary: string, example: string) =>
    withGlobalOptions(
      new Command(name)
        .summary(summary)
        .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ).addHelpText("after", `\nExamples:\n  $ ${example}`);
  runs.addCommand(
    verb("list", "the runs, the latest first", "sms runs list --json").action((flags) =>
      run({ kind: "list" }, flags),
    ),
  );
  runs.addCommand(
    verb(
      "show",
      "what became of a run, and what evidence there is of the uncertain",
      "sms runs show topup --failed",
    )
      .argument("<name>")
      .option("--failed", "every recipient who was not accepted")
      .action((name, { failed = false, ...flags }) => run({ kind: "show", name, failed }, flags)),
  );
  runs.addCommand(
    verb("resume", "send what is left of a run; never twice", "sms runs resume topup --retry rejected")
      .argument("<name>")
      .option(
        "--retry <outcomes>",
        "send these again too: rejected, uncertain or both, by a comma",
        choosing(["rejected", "uncertain"], retried),
      )
      .option("-y, --yes", "do not ask before a run with a live key")
      .option("--max-credits <n>", "stop before the charge of the whole run passes n", limits.maxCredits)
      .option("--rate <n>", "requests per minute at most", limits.rate)
      .option("--tier <name>", "free, starter or professional in place of a rate", limits.tier)
      .option("--concurrency <n>", "requests in flight at most", limits.concurrency)
      .option("--timeout <seconds>", "for one request", limits.timeout)
      .option("--retries <n>", "tries again for what was not sent", limits.retries)
      .action((name, { timeout = defaultTimeout, retries = defaultRetries, ...flags }) =>
        run({ kind: "resume", name, flags: { ...flags, timeout, retries } }, flags),
      ),
  );
  runs.addCommand(
    verb(
      "export",
      "every recipient of a run and what became of them",
      "sms runs export topup --format csv > topup.csv",
    )
      .argument("<name>")
      .option("--format <name>", "csv or ndjson (default: csv)", oneOf("--format", ["csv", "ndjson"]))
      .action((name, { format = "csv", ...flags }) => run({ kind: "export", name, format }, flags)),
  );
  runs.addCommand(
    verb("remove", "forget a run; it can then be neither resumed nor accounted for", "sms runs remove topup")
      .argument("<name>")
      .action((name, flags) => run({ kind: "remove", name }, flags)),
  );
  return runs;
}

function retried(value: string, previous: readonly ("rejected" | "uncertain")[] | undefined) {
  single("--retry")(value, previous?.join());
  return value.split(",").map((word) => {
    if (word === "rejected" || word === "uncertain") return word;
    throw usageError(
      "INVALID_OPTION",
      `--retry does not take ${JSON.stringify(word)}`,
      "give rejected, uncertain, or both by a comma",
    );
  });
}
