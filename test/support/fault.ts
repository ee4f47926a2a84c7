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

export const doubt = { exitCode: 10, outcome: "uncertain", errorCode: "NO_ANSWER", posts: 1, connections: 1 } as const;

/** A second that the program may outlive `--timeout` by, and its start on a machine that runs other tests as well. */
export const allowanceMs = 20_000;

export async function expectFault(fault: Fault): Promise<void> {
  const { args = [], timeout = 30, env, baseUrl, run } = fault;
  const timeoutMs = timeout * 1000;

  const { ended, requests, connections } = await runAgainst(
    fault,
    [...sendHi, "--json", "--timeout", String(timeout), ...args],
    { env: { ...testKey, ...env }, boundMs: timeoutMs + allowanceMs, baseUrl, run },
  );

  expectFailure(ended, fault);
  expect({ connections, methods: requests.map(({ method }) => method) }).toEqual({
    connections: fault.connections ?? connections,
    methods: Array<string>(fault.posts).fill("POST"),
  });
  // The deadline may only end a send that cannot end otherwise.
  expect(ended.ms).toBeGreaterThanOrEqual(fault.stalls ? timeoutMs : 0);
  expect(ended.ms).toBeLessThan(timeoutMs + (fault.timeout === undefined ? 0 : allowanceMs));
}

/** Expects this end of a `--json` command, with any sentence and any hint. */
export function expectFailure(
  { code, stdout, stderr }: Omit<Ended, "ms">,
  { exitCode, outcome, errorCode, httpStatus }: FailedEnding,
): void {
  const error: unknown = expect.stringMatching(/\S/);
  const anyCode: unknown = expect.stringMatching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
  expect({ code, stdout, hint: "none", ...JSON.parse(stderr) }).toEqual({
    code: exitCode,
    stdout: "",
    error,
    errorCode: errorCode ?? anyCode,
    outcome,
    exitCode,
    httpStatus,
    hint: error,
  });
}
