import { expect } from "vitest";
import type { Machine } from "../support/machine.ts";
import { withSandbox } from "../support/with-sandbox.ts";

export const to = "+254712345678";

/** Starts a sandbox for the tests of a file, to which `send` sends with a test key. */
export function withSend() {
  const given = withSandbox({ key: "sk_test_sandbox" });
  const send = (args: readonly string[], machine: Machine = {}) => given.run(["send", ...args], machine);
  const sent = () => given.sandbox().messages();
  return {
    ...given,
    send,
    lastMessage: () => {
      const { to: recipient, senderId, message } = sent().at(-1) ?? {};
      return { to: recipient, senderId, message };
    },
    /** The failure of a send that must be a usage error and send nothing. */
    refusal: async (args: readonly string[], machine: Machine = {}) => {
      const before = sent().length;
      const { code, stdout, stderr } = await send([...args, "--json"], machine);
      expect({ code, stdout, sent: sent().length - before }).toEqual({ code: 2, stdout: "", sent: 0 });
      const { error, errorCode, outcome, exitCode } = JSON.parse(stderr) as Readonly<Record<string, unknown>>;
      expect({ outcome, exitCode }).toEqual({ outcome: "unsent", exitCode: 2 });
      return { errorCode, error };
    },
  };
}
