import { expect } from "vitest";
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from "./scripted-server.ts";
import { type Ended, runSms } from "./sms.ts";

/** What a send must make of a fault: how it ends, what it says of the message, and what reached the server. */
export interface FaultEnding {
  readonly exitCode: number;
  readonly outcome: "rejected" | "unsent" | "uncertain";
  /** Any in the contract's style where absent. */
  readonly errorCode?: string;
  /** Absent where there must be none. */
  readonly httpStatus?: number;
  /** POSTs that the server read whole. */
  readonly posts: number;
  /** Connections that the server saw; not looked at where absent. */
  readonly connections?: number;
}

/** A row of a fault table: how the server misbehaves, and what `sms send` must make of it. */
export interface Fault extends FaultEnding {
  readonly name: string;
  readonly server: ScriptedServerOptions;
  /** Where the program looks for the server; at the server where absent. */
  readonly baseUrl?: (server: ScriptedServer) => string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Seconds given as `--timeout`; default 10, which no row should come near. */
  readonly timeout?: number;
  /** Whether nothing but `--timeout` can end it. */
  readonly stalls?: boolean;
}

/**
 * What a process may take beside its `--timeout`, in ms: the second that the program may outlive it by, and start-up on
 * a machine that runs other tests at the same time.
 */
export const allowanceMs = 2500;

/** Sends one message to a server that misbehaves, and holds all that can be seen of it to the row. */
export async function expectFault(fault: Fault): Promise<void> {
  const server = await startScriptedServer(fault.server);
  try {
    const timeout = fault.timeout ?? 10;
    const ended = await runSms(
      ["send", "--to", "+254712345678", "--message", "Hi", "--json", "--timeout", String(timeout)].concat(
        fault.args ?? [],
      ),
      {
        env: { SMS_API_KEY: "sk_test_abc", SMS_BASE_URL: (fault.baseUrl ?? urlOf)(server), ...fault.env },
        boundMs: timeout * 1000 + 5000,
      },
    );
    expectFailure(ended, fault);
    expect(server.requests.map(({ method }) => method)).toEqual(Array(fault.posts).fill("POST"));
    if (fault.connections !== undefined) expect(server.connections()).toBe(fault.connections);
    // Only what cannot end otherwise may be ended by the deadline.
    expect(ended.ms).toBeLessThan(timeout * 1000 + (fault.timeout === undefined ? 0 : allowanceMs));
    if (fault.stalls === true) expect(ended.ms).toBeGreaterThanOrEqual(timeout * 1000);
  } finally {
    await server.close();
  }
}

/** Holds a run with `--json` to a failure: nothing on stdout, and one line of JSON on stderr that says so. */
export function expectFailure(ended: Ended, expected: Omit<FaultEnding, "posts" | "connections">): void {
  expect({ ...ended, stderr: failureIn(ended.stderr) }).toEqual({
    code: expected.exitCode,
    stdout: "",
    stderr: {
      error: expect.stringMatching(/\S/) as unknown,
      errorCode: expected.errorCode ?? (expect.stringMatching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/) as unknown),
      outcome: expected.outcome,
      exitCode: expected.exitCode,
      ...(expected.httpStatus === undefined ? {} : { httpStatus: expected.httpStatus }),
    },
    ms: ended.ms,
  });
}

/** The failure that stands alone on stderr, but for its hint, which may be absent; else stderr as it is. */
function failureIn(stderr: string): unknown {
  if (!/^\{.*\}\n$/.test(stderr)) return stderr;
  const { hint, ...failure } = JSON.parse(stderr) as Record<string, unknown>;
  if (hint !== undefined) expect(hint).toEqual(expect.stringMatching(/\S/));
  return failure;
}

function urlOf(server: ScriptedServer): string {
  return server.url;
}
