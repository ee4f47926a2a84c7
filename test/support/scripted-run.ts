import {
  type ReadRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "./scripted-server.ts";
import { type Ended, runSms, type SmsOptions } from "./sms.ts";

/** How a run ended, and what the server had seen by then. */
export interface ScriptedRun {
  readonly ended: Ended;
  readonly requests: readonly ReadRequest[];
  readonly connections: number;
}

/** What a run against a scripted server is given beside its arguments. */
export interface ScriptedRunOptions extends SmsOptions {
  /** Where the program looks for the server; its own address where absent. */
  readonly baseUrl?: (server: ScriptedServer) => string;
}

/** The least that sends a message. */
export const sendHi = ["send", "--to", "+254712345678", "--message", "Hi"] as const;

/** A key that never delivers. */
export const testKey = { SMS_API_KEY: "sk_test_abc" } as const;

/** Runs the program against a server of its own, with a test key where `env` is absent, and closes the server after. */
export async function runAgainst(
  serverOptions: ScriptedServerOptions,
  args: readonly string[],
  { baseUrl = ({ url }) => url, env = testKey, ...options }: ScriptedRunOptions = {},
): Promise<ScriptedRun> {
  const server = await startScriptedServer(serverOptions);
  try {
    const ended = await runSms(args, { ...options, env: { SMS_BASE_URL: baseUrl(server), ...env } });
    return { ended, requests: server.requests, connections: server.connections() };
  } finally {
    await server.close();
  }
}
