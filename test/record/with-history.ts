import { beforeEach } from "vitest";
import { fast } from "../commands/with-runs.ts";
import type { Machine } from "../support/machine.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { withSandbox } from "../support/with-sandbox.ts";

export const to = "+254712345678";

/** Gives each test a service with these credits, to which commands send with a live key. */
export function withHistory(credits = 1000) {
  const given = withSandbox({ isOwn: true, key: "sk_live_sandbox", credits });
  const { sandbox } = given;
  let url: string;
  beforeEach(async () => {
    // A sandbox that does not say what it is, so that sends count as real.
    const anonymous = (bytes: Buffer) =>
      Buffer.from(bytes.toString("latin1").replace("Server: ", "X-None: "), "latin1");
    url = `http://127.0.0.1:${(await startTcpProxy(Number(new URL(sandbox().url).port), anonymous)).port}`;
  });
  const environment = () => ({ ...given.environment(), SMS_BASE_URL: url });
  const run = (args: readonly string[], machine: Machine = {}) =>
    given.run(args, { ...machine, environment: { ...environment(), ...machine.environment } });
  const json = async (args: readonly string[], machine: Machine = {}) => {
    const { stdout, stderr } = await run([...args, "--json"], machine);
    return JSON.parse(stdout || stderr);
  };
  const send = (args: readonly string[], machine: Machine = {}) =>
    run(["send", ...(args.includes("-m") ? [] : ["-m", "Hi"]), ...args], machine);
  return {
    ...given,
    environment,
    run,
    json,
    send,
    sendRun: (name: string, args: readonly string[], machine: Machine = {}) =>
      send(["--run", name, "--yes", ...fast, ...args], machine),
    history: (...args: readonly string[]) => json(["history", ...args]),
    /** Credits in the account. */
    balance: async (): Promise<number> =>
      ((await (await fetch(`${sandbox().url}/_sandbox/inbox`)).json()) as { balance: number }).balance,
  };
}
