import { once } from "node:events";
import { handledText, sandboxView, tallyText } from "../../output/sandbox.ts";
import { sendPaths } from "../../sandbox/setup.ts";
import type { Context } from "../shared/context.ts";
import { openSandbox } from "./open.ts";
import type { SandboxFlags } from "./setup.ts";

/** Serves the sandbox until a signal stops it. */
export async function serveSandbox(flags: SandboxFlags, port: number, context: Context): Promise<void> {
  const { host, presenter } = context;
  const { stop } = host.interruption();
  const { sandbox, account, seed } = await openSandbox(flags, port, context, ({ path }, { reply, ...send }) => {
    if (!sendPaths.some((sendPath) => sendPath === path)) return;
    const result = reply.kind === "answer" ? { status: reply.status, errorCode: reply.errorCode } : reply.kind;
    presenter.tell((page) => handledText({ at: host.now(), ...send, result }, page));
  });
  const { url, keys } = sandbox;
  presenter.show(sandboxView({ url, keys, account, seed }));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  presenter.note(tallyText(sandbox.tally()));
}
