import { usageError } from "../../errors.ts";
import type { GlobalOptions } from "../shared/options.ts";
import type { FirstFlags } from "../shared/first-stage.ts";
import type { GuardFlags } from "../shared/guards.ts";
import type { HourFlags } from "../shared/hours.ts";
import type { PolicyFlags } from "../shared/run-policy.ts";

/** The flags of `sms send`. */
export interface SendFlags extends PolicyFlags, GuardFlags, HourFlags, FirstFlags {
  readonly to?: readonly string[];
  readonly recipients?: string;
  readonly message?: string;
  readonly messageFile?: string;
  readonly sender?: string;
  readonly senderId?: string;
  readonly country?: string;
  readonly gsm7?: true;
  readonly literal?: true;
  readonly dryRun?: true;
  readonly sandbox?: true;
  readonly expect?: "test" | "live";
  readonly run?: string;
  readonly once?: string;
  /** Milliseconds. */
  readonly for?: number;
  readonly skipInvalid?: true;
  readonly allowDuplicates?: true;
  readonly only?: "failure" | "success";
  /** Milliseconds. */
  readonly longerThan?: number;
  readonly strict?: true;
  readonly onInterrupt?: true;
  readonly redirectTo?: string;
  readonly redirectMax?: number;
  readonly toColumn?: string;
  readonly format?: "plain" | "csv" | "ndjson";
}

/** The options of `sms send`. */
export type SendOptions = SendFlags & GlobalOptions;

/**
 * Whether these flags ask for a run: several recipients, a file of them, or a name. Throws a usage error for a flag of runs
 * without one, and for a flag of a single message with one.
 */
export function isRun(flags: SendFlags): boolean {
  const { recipients, run, redirectTo, to = [] } = flags;
  if (flags.for !== undefined && flags.once === undefined) {
    throw usageError("INVALID_OPTION", "--for goes with --once, which is not given", "add --once, or leave it out");
  }
  if (flags.for === 0) {
    const hint = "give the time during which the message is not sent again, such as 24h";
    throw usageError("INVALID_OPTION", "--for 0 would let --once send every time", hint);
  }
  if (recipients !== undefined || run !== undefined || redirectTo !== undefined || to.length > 1) {
    if (flags.once === undefined) return true;
    const message = "--once is for a single message, and this is a run";
    throw usageError("INVALID_OPTION", message, "name the run with --run: the same name never sends twice");
  }
  const { rate, tier, concurrency, skipInvalid, allowDuplicates, exclude, toColumn, format } = flags;
  const ofRuns = {
    "--rate": rate,
    "--tier": tier,
    "--concurrency": concurrency,
    "--skip-invalid": skipInvalid,
    "--allow-duplicates": allowDuplicates,
    "--exclude": exclude,
    "--to-column": toColumn,
    "--format": format,
    "--first": flags.first,
    "--accept-price": flags.acceptPrice,
    "--redirect-max": flags.redirectMax,
  };
  const given = Object.entries(ofRuns).find(([, value]) => value !== undefined);
  if (given === undefined) return false;
  throw usageError(
    "INVALID_OPTION",
    `${given[0]} is for runs, and this is a single message`,
    "leave it out, or name a run with --run",
  );
}

/** Throws a usage error for flags that do not go with a command after `--`, or that go with nothing else. */
export function requireFit(flags: SendFlags, hasCommand: boolean): void {
  const { only, longerThan, strict, onInterrupt } = flags;
  if (hasCommand && isRun(flags)) {
    const message = "a command after -- is told of in a single message, and this is a run";
    throw usageError("INVALID_OPTION", message, "give one recipient with --to, and no --run");
  }
  const ofCommands = { "--only": only, "--longer-than": longerThan, "--strict": strict, "--on-interrupt": onInterrupt };
  const given = Object.entries(ofCommands).find(([, value]) => value !== undefined);
  if (hasCommand || given === undefined) return;
  const hint = "add the command, or leave it out";
  throw usageError("INVALID_OPTION", `${given[0]} goes with a command after --, which is not given`, hint);
}
