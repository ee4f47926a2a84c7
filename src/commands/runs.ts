import { unknownAmong } from "../record/run-with-ledger.ts";
import { SmsError } from "../errors.ts";
import type { Host } from "../host.ts";
import { modeOfRun } from "../record/header.ts";
import { recipientsOf } from "../record/ledger.ts";
import type { RunKeeper } from "../record/runs.ts";
import { hasRest, otherName } from "../sending/run/closed.ts";
import { closeRun } from "../sending/recorded/close.ts";
import { countText, plural } from "../words/count.ts";
import { agoText } from "../terminal/ago.ts";
import { actorText } from "../terminal/text.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import type { View, Context, Perform, GlobalOptions } from "../terminal/context.ts";
import { othersText } from "../sending/views/run-summary.ts";
import { type RunListing, listRuns } from "../reports/run.ts";
import { confirmLoss } from "../terminal/prompt.ts";
import { askingGlobals, newGroup, verb, withOptions, usualGlobals } from "./shared/options.ts";
import { keepInHistory } from "../reports/reading.ts";
import { number, wordOf } from "../sending/option-values.ts";
import { refuseCsvWithJson } from "./shared/typed-values.ts";
import type { ProfileInUse } from "../profiles/resolve.ts";
import { namedProfile, openRecord, recordWords, requireRecord } from "../profiles/record.ts";

export function runsCommand(perform: Perform) {
  return newGroup(
    "runs",
    "Show, resume, export, close, remove and unlock the runs that `sms send` recorded.",
    "sms runs list",
    "sms runs show topup --failed",
    "sms runs resume topup",
  )
    .addCommand(
      verb(
        "list",
        "list the runs, the latest first",
        "list",
        usualGlobals,
        "sms runs list --limit 5",
        "sms runs list --json",
      )
        .option(
          "--limit <n>",
          "only the latest n (default: 20; as JSON all)",
          number("a whole number of runs", 1, 1_000_000),
        )
        .action((_, command) => perform(command, listRecordedRuns)),
    )
    .addCommand(
      verb("show", "show the results of a run", "list", ["profile", "json"], "sms runs show topup --failed")
        .argument("<name>", "the run")
        .option("--failed", "list who was to get the text and did not")
        .option("--left-out", "list who was left out on purpose, and why")
        .action((name, _, command) =>
          perform(command, async ({ failed: showsFailed = false, leftOut: showsLeftOut = false, profile }, context) => {
            const { showRun } = await import("../sending/recorded/show.ts");
            return showRun(name, { showsFailed, showsLeftOut }, profile, context);
          }),
        ),
    )
    .addCommand(
      withOptions(describedResume(), "runs resume").action((name, _, command) =>
        perform(command, async (options, context) => {
          const { sendRun } = await import("../sending/run/run.ts");
          return sendRun(options, context, name);
        }),
      ),
    )
    .addCommand(
      describedExport().action((name, _, command) =>
        perform(command, async ({ format, failed = false, withColumns = false, json, profile }, context) => {
          refuseCsvWithJson(format, json);
          const form = { format: format ?? "csv", failed, withColumns };
          return (await import("../sending/recorded/export.ts")).exportRun(name, form, profile, context);
        }),
      ),
    )
    .addCommand(
      verb("close", "end a run that is not to go on", "done", usualGlobals, "sms runs close topup")
        .description(
          "End a run that is not to go on. Its results stay, and nothing more is ever sent under its name. To send a corrected text to those it did not reach, give the new run --run NAME-2 --exclude run:NAME.",
        )
        .argument("<name>", "the run")
        .action((name, _, command) => perform(command, (options, context) => closeRecordedRun(name, options, context))),
    )
    .addCommand(
      verb("remove", "remove a run and its results", "done", askingGlobals, "sms runs remove topup")
        .description("Remove a run and its results, after a confirmation. It cannot be resumed or shown any more.")
        .argument("<name>", "the run")
        .action((name, _, command) =>
          perform(command, (options, context) => removeRecordedRun(name, options, context)),
        ),
    )
    .addCommand(
      verb("unlock", "unlock a run whose process is gone", "done", askingGlobals, "sms runs unlock topup")
        .description(
          "Unlock a run, after a confirmation. On this machine a run unlocks itself when its process dies; this is for a process on another machine, for a container that is gone and, in the record of a team, for a process that is stopped. If that process still runs, it stops before its next message.",
        )
        .argument("<name>", "the run")
        .action((name, _, command) => perform(command, (options, context) => unlockRun(name, options, context))),
    );
}

function describedExport() {
  const summary = "print every row of a run with the outcome";
  return verb("export", summary, "list", ["profile", "json"], "sms runs export topup > topup.csv")
    .argument("<name>", "the run")
    .option("--format <name>", "csv or ndjson (default: csv)", wordOf(["csv", "ndjson"]))
    .option("--failed", "only who was to get the text and did not")
    .option("--with-columns", "with the columns of the input; --failed: to send again");
}

function describedResume() {
  return verb(
    "resume",
    "send the rest of a run, and no message twice",
    "outcome",
    [...usualGlobals, "verbose", "input", "yes"],
    "sms runs resume topup --retry rejected",
  ).argument("<name>", "the run");
}

const mostListed = 20;

async function listRecordedRuns(
  { json, quiet, profile, limit = json || quiet ? Infinity : mostListed }: GlobalOptions & { readonly limit?: number },
  { host, presenter }: Context,
): Promise<void> {
  const keeper = (await (await openRecord(host, namedProfile(host, profile)))?.runs()) ?? { list: async () => [] };
  const { runs, earlier, damaged } = await presenter.waitFor("Reading the runs", () => listRuns(keeper, limit));
  for (const { name, reason } of damaged) presenter.always(`Warning: run ${name} cannot be read: ${reason}`);
  if (runs.length + damaged.length === 0)
    presenter.note("No runs are recorded: `sms send` with --recipients, --run or several --to begins one.");
  presenter.show(runsView(runs, host.now()));
  if (earlier > 0) presenter.note(`${plural(earlier, "earlier run")}: \`sms runs list --limit ${limit + earlier}\``);
}

async function removeRecordedRun(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const profile = namedProfile(host, options.profile);
  await onRun(name, profile, host, (runs) =>
    runs.remove(name, async () => {
      const question = `Remove run ${name}${recordWords(host, profile).of}? It can then neither be resumed nor shown, and who had its text may get it again.`;
      await confirmLoss(question, options, host);
      await keepInHistory(name, profile, context);
    }),
  );
  presenter.show(doneView({ removed: name }, `Removed run ${name}.`));
}

async function closeRecordedRun(name: string, { profile }: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const runs = await (await requireRecord(host, "runs", namedProfile(host, profile))).runs();
  const { ledger, header } = await closeRun(runs, name, host.now());
  const tally = ledger.tally();
  const others = othersText(tally);
  const counts = `${countText(tally.accepted)} of ${countText(recipientsOf(tally))} accepted${others && `, ${others}`}`;
  const way = hasRest(tally) ? ` \`sms send … ${otherName(header)}\` sends to those it did not reach.` : "";
  const text = `Closed run ${name}: ${counts}; nothing more is sent under its name.${way}`;
  presenter.show(doneView({ closed: name }, text));
}

/** This machine cannot see the owner, so only a person knows that it is gone. */
async function unlockRun(name: string, options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  await onRun(name, namedProfile(host, options.profile), host, (runs) =>
    runs.unlock(name, (owner) => {
      const question = `Is ${owner} gone? If it still works on run ${name}, it stops at its next message.`;
      return confirmLoss(question, options, host);
    }),
  );
  presenter.show(doneView({ unlocked: name }, `Unlocked run ${name}. \`sms runs resume ${name}\` continues it.`));
}

/** The run may be damaged. Throws `UNKNOWN_RUN` with the nearest name. */
async function onRun(
  name: string,
  profile: ProfileInUse | undefined,
  host: Host,
  change: (runs: RunKeeper) => Promise<void>,
): Promise<void> {
  const runs = await (await requireRecord(host, "runs", profile)).runs();
  try {
    await change(runs);
  } catch (error) {
    const isUnknown = error instanceof SmsError && error.errorCode === "UNKNOWN_RUN";
    throw isUnknown ? await unknownAmong(runs, name) : error;
  }
}

function runsView(runs: readonly RunListing[], now: number): View {
  return {
    json: () =>
      runs.map(({ header, by, tally }) => {
        const { accepted, rejected, unsent, uncertain, pending } = tally;
        const counts = { recipients: recipientsOf(tally), accepted, rejected, unsent, uncertain, pending };
        return {
          run: header.name,
          mode: modeOfRun(header),
          started: header.started,
          ...counts,
          ...(tally.isClosed && { closed: true }),
          ...by,
        };
      }),
    quiet: () => runs.map(({ header }) => header.name),
    text: (page) => {
      const isShared = runs.some(({ by }) => by !== undefined);
      const rows = runs.map(({ header, by, tally }) => [
        header.name,
        modeOfRun(header),
        agoText(Date.parse(header.started), now),
        ...(isShared ? [by === undefined ? "" : page.foreign(actorText(by))] : []),
        `${countText(tally.accepted)} of ${countText(recipientsOf(tally))}`,
        [othersText(tally), tally.isClosed ? "closed" : ""].filter(Boolean).join(", "),
      ]);
      return listingText(page, [
        ["RUN", "MODE", "STARTED", ...(isShared ? ["BY"] : []), "ACCEPTED", "NOT ACCEPTED"],
        ...rows,
      ]);
    },
  };
}
