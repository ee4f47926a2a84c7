import { expect } from "vitest";
import { runAgainst, type ScriptedRunOptions, sendHi, testKey } from "./scripted-run.ts";
import type { ScriptedServerOptions } from "./scripted-server.ts";
import type { Ended } from "./sms.ts";

/** How a send fails. */
export interface FailedEnding {
  readonly exitCode: number;
  readonly outcome: "rejected" | "unsent" | "uncertain";
  /** Any code in the style of the service's own when absent. */
  readonly errorCode?: string;
  /** Undefined if there must be none. */
  readonly httpStatus?: number;
}

/** A row of a fault table: how the server misbehaves, how `sms send` must end, and what must reach the server. */
export interface Fault extends FailedEnding {
  readonly name: string;
  readonly server: ScriptedServerOptions;
  readonly baseUrl?: ScriptedRunOptions["baseUrl"] & {};
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** How the program is run; in this process by default. */
  readonly run?: ScriptedRunOptions["run"] & {};
  /** Seconds for `--timeout`; by default 30, before which the send must end. */
  readonly timeout?: number;
  /** Whether only `--timeout` can end it. */
  readonly stalls?: boolean;
  /** The number of complete POSTs. */
  readonly posts: number;
  /** The number of connections; any number if undefined. */
  readonly connections?: number;
}

/** Nothing was sent: the server was not reached. */
export const unreachable = { exitCode: 9, outcome: "unsent", errorCode: "UNREACHABLE", posts: 0 } as const;

/** The message may have been sent: there was no answer. */
export const noAnswer = {
  exitCode: 10,
  outcome: "uncertain",
  errorCode: "NO_ANSWER",
  posts: 1,
  connections: 1,
} as const;

/** What can be seen of a fault from outside. */
export interface StagedFault {
  readonly ending: unknown;
  /** The methods of the complete requests. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly ms: number;
}

/**
 * Milliseconds that a process may take in addition to `--timeout`: one second that the program may outlive it by, and
 * start-up on a machine that runs other tests at the same time.
 */
export const allowanceMs = 20_000;

/** Sends one message with `--json` to a server that misbehaves. */
export async function stage({ server, args = [], env, timeout = 30, baseUrl, run: how }: Fault): Promise<StagedFault> {
  const run = await runAgainst(server, [...sendHi, "--json", "--timeout", String(timeout), ...args], {
    env: { ...testKey, ...env },
    boundMs: timeout * 1000 + allowanceMs,
    ...(baseUrl && { baseUrl }),
    ...(how && { run: how }),
  });
  return {
    ending: failureOf(run.ended),
    requests: run.requests.map(({ method }) => method),
    connections: run.connections,
    ms: run.ended.ms,
  };
}

/** What `stage` must return for a row. */
export function staged(fault: Fault): unknown {
  const timeoutMs = (fault.timeout ?? 30) * 1000;
  return {
    ending: failed(fault),
    requests: Array<string>(fault.posts).fill("POST"),
    connections: fault.connections ?? expect.any(Number),
    // The deadline may only end a send that cannot end otherwise.
    ms: between(fault.stalls ? timeoutMs : 0, timeoutMs + (fault.timeout === undefined ? 0 : allowanceMs)),
  };
}

/** The exit code, stdout and stderr of a failed `--json` command; stderr parsed if it is one line of JSON. */
export function failureOf({ code, stdout, stderr }: Omit<Ended, "ms">): unknown {
  return {
    code,
    stdout,
    stderr: /^\{.*\}\n$/.test(stderr) ? { hint: "none", ...JSON.parse(stderr) } : stderr,
  };
}

/** What `failureOf` must return for a failure, with any sentence and any hint. */
export function failed({ exitCode, outcome, errorCode, httpStatus }: FailedEnding): unknown {
  return {
    code: exitCode,
    stdout: "",
    stderr: {
      error: expect.stringMatching(/\S/) as unknown,
      errorCode: errorCode ?? (expect.stringMatching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/) as unknown),
      outcome,
      exitCode,
      httpStatus,
      hint: expect.stringMatching(/\S/) as unknown,
    },
  };
}

function between(least: number, most: number): unknown {
  return expect.toSatisfy((ms: number) => ms >= least && ms < most, `from ${least} to ${most} ms`) as unknown;
}
