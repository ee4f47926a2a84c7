import { once } from "node:events";
import { handledText, sandboxView, tallyText } from "../../output/sandbox.ts";
import { sendPaths } from "../../sandbox/setup.ts";
import type { Context } from "../shared/context.ts";
import { openSandbox, type Place } from "./open.ts";
import type { SandboxFlags } from "./setup.ts";

/** Serves the sandbox until a signal stops it. */
export async function serveSandbox(flags: SandboxFlags, place: Place, context: Context): Promise<void> {
  const { host, presenter } = context;
  const { stop } = host.interruption();
  const { sandbox, account, seed } = await openSandbox(flags, place, context, ({ path }, { reply, ...send }) => {
    if (!sendPaths.some((sendPath) => sendPath === path)) return;
    const result = reply.kind === "answer" ? { status: reply.status, errorCode: reply.errorCode } : reply.kind;
    presenter.tell((page) => handledText({ at: host.now(), ...send, result }, page));
  });
  const { url, keys, token } = sandbox;
  if (token !== undefined)
    presenter.warn("Anyone who reaches this port can send with its keys, which are public without --config.");
  presenter.show(sandboxView({ url, keys, token, account, seed }));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  presenter.note(tallyText(sandbox.tally()));
}
