import { fast } from "../commands/with-runs.ts";
import type { Machine } from "../support/machine.ts";
import { withSandbox } from "../support/with-sandbox.ts";

export const to = "+254712345678";

/** Gives each test a sandbox with 1000 credits, to which commands send with a live key. */
export function withHistory() {
  const given = withSandbox({ isOwn: true, key: "sk_live_sandbox" });
  const { run, sandbox } = given;
  const json = async (args: readonly string[], machine: Machine = {}) => (await given.json(args, machine)).value;
  const send = (args: readonly string[], machine: Machine = {}) =>
    run(["send", ...(args.includes("-m") ? [] : ["-m", "Hi"]), ...args], machine);
  return {
    ...given,
    json,
    send,
    sendRun: (name: string, args: readonly string[], machine: Machine = {}) =>
      send(["--run", name, "--yes", ...fast, ...args], machine),
    history: (...args: readonly string[]) => json(["history", ...args]),
    /** Credits in the account. */
    balance: async (): Promise<number> =>
      ((await (await fetch(`${sandbox().url}/_sandbox/account`)).json()) as { credits: number }).credits,
    /** Changes the account. */
    change: (setup: { readonly credits: number }) =>
      fetch(`${sandbox().url}/_sandbox/account`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(setup),
      }),
  };
}
