import { expect } from "vitest";
import { runAgainst, type ScriptedRunOptions, sendHi, testKey } from "./scripted-run.ts";
import type { ScriptedServerOptions } from "./scripted-server.ts";
import type { Ended } from "./sms.ts";

/** How a send fails, and what it says of the message. */
export interface FailedEnding {
  readonly exitCode: number;
  readonly outcome: "rejected" | "unsent" | "uncertain";
  /** Any code in the style of the service's own when absent. */
  readonly errorCode?: string;
  /** Absent where there must be none. */
  readonly httpStatus?: number;
}

/** A row of a fault table: how the server misbehaves, what `sms send` must make of it, and what reached the server. */
export interface Fault extends FailedEnding {
  readonly name: string;
  readonly server: ScriptedServerOptions;
  readonly baseUrl?: ScriptedRunOptions["baseUrl"] & {};
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Seconds given as `--timeout`; default 10, which a row must not take. */
  readonly timeout?: number;
  /** Whether nothing but `--timeout` can end it. */
  readonly stalls?: boolean;
  /** POSTs that the server read whole. */
  readonly posts: number;
  /** Connections that the server saw; any number where absent. */
  readonly connections?: number;
}

/** All that can be seen of a fault from outside. */
export interface StagedFault {
  readonly ending: unknown;
  /** The methods of the requests that the server read whole. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly ms: number;
}

/**
 * What a process may take beside its `--timeout`, in ms: the second that the program may outlive it by, and start-up on
 * a machine that runs other tests at the same time.
 */
export const allowanceMs = 6000;

/** Sends one message to a server that misbehaves, with `--json`. */
export async function stage({ server, args = [], env, timeout = 10, baseUrl }: Fault): Promise<StagedFault> {
  const run = await runAgainst(server, [...sendHi, "--json", "--timeout", String(timeout), ...args], {
    env: { ...testKey, ...env },
    boundMs: timeout * 1000 + 8000,
    ...(baseUrl && { baseUrl }),
  });
  return {
    ending: failureOf(run.ended),
    requests: run.requests.map(({ method }) => method),
    connections: run.connections,
    ms: run.ended.ms,
  };
}

/** What `stage` must give for a row. */
export function staged(fault: Fault): unknown {
  const timeoutMs = (fault.timeout ?? 10) * 1000;
  return {
    ending: failed(fault),
    requests: Array<string>(fault.posts).fill("POST"),
    connections: fault.connections ?? expect.any(Number),
    // Only what cannot end otherwise may be ended by the deadline.
    ms: between(fault.stalls ? timeoutMs : 0, timeoutMs + (fault.timeout === undefined ? 0 : allowanceMs)),
  };
}

/** How a run with `--json` failed: its exit code, its stdout, and the JSON that stands alone on its stderr, if it does. */
export function failureOf({ code, stdout, stderr }: Ended): unknown {
  return {
    code,
    stdout,
    stderr: /^\{.*\}\n$/.test(stderr) ? { hint: "none", ...JSON.parse(stderr) } : stderr,
  };
}

/** What `failureOf` must give for a failure; its sentence may be any, and so may its hint, if it has one. */
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
