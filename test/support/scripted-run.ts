import {
  type ReadRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "./scripted-server.ts";
import { runBuilt } from "./built.ts";
import type { Ended, runSms, SmsOptions } from "./sms.ts";

/** How the program ended, and what the server saw. */
export interface ScriptedRun {
  readonly ended: Ended;
  readonly requests: readonly ReadRequest[];
  readonly connections: number;
}

/** What the program gets besides its arguments. */
export interface ScriptedRunOptions extends SmsOptions {
  /** The base URL; the server's own by default. */
  readonly baseUrl?: (server: ScriptedServer) => string;
  /** How it is run; in this process by default. */
  readonly run?: typeof runSms;
}

/** The shortest command that sends a message. */
export const sendHi = ["send", "--to", "+254712345678", "--message", "Hi"] as const;

/** A test key, which never reaches a phone. */
export const testKey = { SMS_API_KEY: "sk_test_abc" } as const;

/** Runs the program against a new server, with a test key by default, and then closes the server. */
export async function runAgainst(
  serverOptions: ScriptedServerOptions,
  args: readonly string[],
  { baseUrl = ({ url }) => url, env = testKey, run = runBuilt, ...options }: ScriptedRunOptions = {},
): Promise<ScriptedRun> {
  const server = await startScriptedServer(serverOptions);
  try {
    const ended = await run(args, { ...options, env: { SMS_BASE_URL: baseUrl(server), ...env } });
    return { ended, requests: server.requests, connections: server.connections() };
  } finally {
    await server.close();
  }
}
