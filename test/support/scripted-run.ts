import {
  type ReadRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "./scripted-server.ts";
import { runBuilt } from "./built.ts";
import type { Ended, runSms, SmsOptions } from "./sms.ts";

export interface ScriptedRun {
  readonly ended: Ended;
  readonly requests: readonly ReadRequest[];
  readonly connections: number;
}

export interface ScriptedRunOptions extends SmsOptions {
  readonly baseUrl?: (server: ScriptedServer) => string;
  readonly run?: typeof runSms;
}

export const sendHi = ["send", "--to", "+254712345678", "--message", "Hi"] as const;

export const testKey = { SMS_API_KEY: "sk_test_abc" } as const;

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
