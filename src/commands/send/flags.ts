import { type SmsError, usageError } from "../../errors.ts";
import type { FirstFlags } from "../runs/confirmation.ts";
import type { GuardFlags } from "../shared/guards.ts";
import type { HourFlags } from "../shared/hours.ts";
import { lacking } from "../shared/option-values.ts";
import { type GlobalOptions } from "../shared/options.ts";
import type { PolicyFlags } from "../runs/sending.ts";

/** The flags of `sms send`. */
export interface SendFlags extends PolicyFlags, GuardFlags, HourFlags, Pick<FirstFlags, "first"> {
  readonly to?: readonly string[];
  readonly recipients?: string;
  readonly message?: string;
  readonly messageFile?: string;
  readonly sender?: string;
  readonly country?: string;
  readonly gsm7?: true;
  readonly literal?: true;
  readonly dryRun?: true;
  readonly sandbox?: true;
  readonly expect?: "test" | "live";
  readonly run?: string;
  readonly again?: true;
  readonly once?: string;
  /** Milliseconds. */
  readonly for?: number;
  readonly skipInvalid?: true;
  readonly allowDuplicates?: true;
  readonly only?: "failure" | "success";
  /** Milliseconds. */
  readonly longerThan?: number;
  readonly redirectTo?: string;
  readonly toColumn?: string;
  readonly format?: "plain" | "csv" | "ndjson";
}

/** The options of `sms send`. */
export type SendOptions = SendFlags & GlobalOptions;

/** Whether these flags ask for a run: several recipients, a file of them, a name, or a rehearsal. */
export function isRun({ recipients, run, redirectTo, to = [] }: SendFlags): boolean {
  return recipients !== undefined || run !== undefined || redirectTo !== undefined || to.length > 1;
}

/** Throws a usage error for flags that do not go with each other, or with a command after `--`. */
export function requireFit(flags: SendFlags, hasCommand: boolean): void {
  if (!isRun(flags)) refuseFlagsOfRuns(flags);
  requirePartners(flags, hasCommand);
  if (flags.for === 0) {
    const hint = "give the time during which the message is not sent again, such as 24h";
    throw invalid("--for 0 would let --once send every time", hint);
  }
  if (!isRun(flags)) return;
  if (hasCommand) {
    const hint = "give one recipient with --to, and no --run";
    throw invalid("only a single message can follow a command, and this is a run", hint);
  }
  if (flags.once !== undefined) {
    const hint = "name the run with --run: the same name never sends twice";
    throw invalid("--once is for a single message, and this is a run", hint);
  }
  const unsearched = { "--run": flags.run, "--redirect-to": flags.redirectTo, "--sandbox": flags.sandbox };
  const [other] = Object.entries(unsearched).find(([, value]) => value !== undefined) ?? [];
  if (flags.again && other !== undefined)
    throw invalid(`--again and ${other} are both given`, `leave --again out: ${other} sends without it`);
}

function requirePartners(flags: SendFlags, hasCommand: boolean): void {
  const command = ["a command after --", hasCommand || undefined] as const;
  const pairs = [
    ["--only", flags.only, ...command],
    ["--longer-than", flags.longerThan, ...command],
    ["--for", flags.for, "--once", flags.once],
    ["--to-column", flags.toColumn, "--recipients", flags.recipients],
    ["--format", flags.format, "--recipients", flags.recipients],
  ] as const;
  const lonely = pairs.find(([, value, , partner]) => value !== undefined && partner === undefined);
  if (lonely !== undefined) throw lacking(lonely[0], lonely[2]);
}

function refuseFlagsOfRuns(flags: SendFlags): void {
  const ofRuns = {
    "--rate": flags.rate,
    "--concurrency": flags.concurrency,
    "--skip-invalid": flags.skipInvalid,
    "--allow-duplicates": flags.allowDuplicates,
    "--exclude": flags.exclude,
    "--again": flags.again,
    "--first": flags.first,
  };
  const given = Object.entries(ofRuns).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw invalid(`${given[0]} is for runs, and this is a single message`, "leave it out, or name a run with --run");
}

function invalid(message: string, hint: string): SmsError {
  return usageError("INVALID_OPTION", message, hint);
}
