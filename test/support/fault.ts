import { expect } from "vitest";
import { runAgainst, type ScriptedRunOptions, sendHi, testKey } from "./scripted-run.ts";
import type { ScriptedServerOptions } from "./scripted-server.ts";
import type { Ended } from "./sms.ts";

interface FailedEnding {
  readonly exitCode: number;
  readonly outcome: "rejected" | "unsent" | "uncertain";
  /** By default any code in the style of the service. */
  readonly errorCode?: string;
  readonly httpStatus?: number;
}

/** How the server misbehaves, how `sms send` must end, and what must reach the server. */
export interface Fault
  extends FailedEnding, ScriptedServerOptions, Pick<ScriptedRunOptions, "baseUrl" | "env" | "run"> {
  readonly name: string;
  readonly args?: readonly string[];
  /** Seconds of `--timeout`; by default 30, before which the send must end. */
  readonly timeout?: number;
  /** Only `--timeout` can end the send. */
  readonly stalls?: boolean;
  /** Complete POSTs. */
  readonly posts: number;
  /** By default any number. */
  readonly connections?: number;
}

export const unreachable = { exitCode: 9, outcome: "unsent", errorCode: "UNREACHABLE", posts: 0 } as const;

export const noAnswer = {
  exitCode: 10,
  outcome: "uncertain",
  errorCode: "NO_ANSWER",
  posts: 1,
  connections: 1,
} as const;

/** A second that the program may outlive `--timeout` by, and its start on a machine that runs other tests as well. */
export const allowanceMs = 20_000;

/** Sends one message to a server that misbehaves. */
export async function expectFault(fault: Fault): Promise<void> {
  const { args = [], timeout = 30, env, baseUrl, run } = fault;
  const timeoutMs = timeout * 1000;

  const { ended, requests, connections } = await runAgainst(
    fault,
    [...sendHi, "--json", "--timeout", String(timeout), ...args],
    { env: { ...testKey, ...env }, boundMs: timeoutMs + allowanceMs, baseUrl, run },
  );

  expect({ end: failureOf(ended), connections, methods: requests.map(({ method }) => method) }).toEqual({
    end: failed(fault),
    connections: fault.connections ?? connections,
    methods: Array<string>(fault.posts).fill("POST"),
  });
  // The deadline may only end a send that cannot end otherwise.
  expect(ended.ms).toBeGreaterThanOrEqual(fault.stalls ? timeoutMs : 0);
  expect(ended.ms).toBeLessThan(timeoutMs + (fault.timeout === undefined ? 0 : allowanceMs));
}

/** The end of a failed `--json` command. */
export function failureOf({ code, stdout, stderr }: Omit<Ended, "ms">): unknown {
  return { code, stdout, stderr: /^\{.*\}\n$/.test(stderr) ? { hint: "none", ...JSON.parse(stderr) } : stderr };
}

/** What `failureOf` must return, with any sentence and any hint. */
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
