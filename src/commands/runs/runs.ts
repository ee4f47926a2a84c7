import { readResults } from "../../runs/journal-reader.ts";
import { Ledger } from "../../runs/ledger.ts";
import { readHeader, refuseChanges } from "../../runs/header.ts";
import { listRuns, lockRun, readRun, removeRun, type RunFiles, runFiles } from "../../runs/runs.ts";
import { type EndingKind, usageError } from "../../errors.ts";
import { acquireLock } from "../../files/lock.ts";
import { exportRun } from "../../output/run-export.ts";
import { jsonLine } from "../../output/sanitize.ts";
import { tableText } from "../../output/table.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { carryOutRun } from "../shared/carry-out.ts";
import type { Context } from "../shared/context.ts";
import { openDestination } from "../shared/destination.ts";
import type { GlobalOptions } from "../shared/options.ts";
import type { ResumeFlags, RunsVerb } from "./definition.ts";
import { confirmLoss, confirmRun } from "../shared/confirmation.ts";
import { requireWithin } from "../shared/credit-limit.ts";
import { whatIsDue } from "../../runs/planning.ts";
import { runPolicy } from "../shared/run-policy.ts";
import { bindingOf, runReporterFor } from "../send/run.ts";
import { showRun } from "./show.ts";

/** Carries out one verb of `sms runs`. */
export async function runRuns(verb: RunsVerb, options: GlobalOptions, context: Context): Promise<EndingKind> {
  const { host } = context;
  const state = stateFolder(host.environment, host.platform, host.home());
  const take = (path: string) => acquireLock(path, host.processes);
  switch (verb.kind) {
    case "list":
      await list(state, options, context);
      return "accepted";
    case "show": {
      const files = runFiles(state, verb.name);
      const { header, ledger } = await requireRun(files);
      await showRun(files, header, ledger, { ...options, failed: verb.failed }, context);
      return "accepted";
    }
    case "resume":
      return resume(runFiles(state, verb.name), verb.flags, options, context);
    case "export": {
      const files = runFiles(state, verb.name);
      const { ledger } = await requireRun(files);
      const results = readResults(files.plan, files.journal, new Ledger(new Uint8Array(ledger.messages)));
      await exportRun(results, options.json ? "ndjson" : verb.format, context.host, context.redactor);
      return "accepted";
    }
    case "remove": {
      const files = runFiles(state, verb.name);
      await confirmLoss(
        `Forget run ${verb.name}? It can then be neither resumed nor accounted for.`,
        options,
        host,
      );
      // What is damaged, or never began, can be removed as well.
      if (!(await removeRun(files, take))) throw unknownRun(files);
      if (options.json) host.stdout.write(jsonLine({ removed: verb.name }));
      else if (!options.quiet) host.stdout.write(`Run ${verb.name} is forgotten.\n`);
      return "accepted";
    }
  }
}

async function requireRun(files: RunFiles) {
  const begun = await readRun(files);
  if (begun !== undefined) return begun;
  throw unknownRun(files);
}

function unknownRun(files: RunFiles): Error {
  return usageError(
    "UNKNOWN_RUN",
    `there is no run ${JSON.stringify(files.name)}`,
    "`sms runs list` shows which there are",
  );
}

async function list(state: string, options: GlobalOptions, { host }: Context): Promise<void> {
  const runs = await listRuns(state, (name, reason) => {
    host.stderr.write(`Warning: run ${name} is left out: ${reason}\n`);
  });
  const counted = runs.map(({ header: { name, started, plan }, tally }) => {
    const { accepted, rejected, unsent, uncertain, pending } = tally;
    return { run: name, started, recipients: plan.messages, accepted, rejected, unsent, uncertain, pending };
  });
  if (options.json) host.stdout.write(jsonLine(counted));
  else if (options.quiet) host.stdout.write(counted.map(({ run }) => `${run}\n`).join(""));
  else if (counted.length === 0) host.stderr.write("No runs are recorded.\n");
  else {
    const rows = counted.map((row) => Object.values(row).map(String));
    const heading = [
      "RUN",
      "STARTED",
      "RECIPIENTS",
      "ACCEPTED",
      "REJECTED",
      "NOT SENT",
      "UNCERTAIN",
      "NOT TRIED",
    ];
    host.stdout.write(tableText([heading, ...rows]));
  }
}

async function resume(
  files: RunFiles,
  flags: ResumeFlags,
  options: GlobalOptions,
  context: Context,
): Promise<EndingKind> {
  const { host } = context;
  if (readHeader(files.header) === undefined) throw unknownRun(files);
  const lock = await lockRun(files, (path) => acquireLock(path, host.processes));
  try {
    const begun = await requireRun(files);
    const isSandbox = begun.header.binding.mode === "sandbox";
    const chosen = isSandbox ? undefined : chooseProfile(loadStore(host), host.environment, options.profile);
    const destination = await openDestination({ ...options, ...flags }, chosen, context);
    try {
      refuseChanges(begun.header, bindingOf(destination));
      const policy = runPolicy(flags, chosen?.profile, flags.retry);
      const due = await whatIsDue(files, begun, policy.retry);
      requireWithin(flags.maxCredits, due.exposure + due.segments);
      if (due.messages > 0) await confirmRun({ ...options, ...flags }, destination, due.messages, host);
      const reporter = await runReporterFor(context, options);
      return await carryOutRun(files, begun, destination, policy, context, reporter);
    } finally {
      await destination.close();
    }
  } finally {
    await lock.release();
  }
}
