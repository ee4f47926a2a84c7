import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { requestText, sandboxView, tallyText } from "../../output/sandbox.ts";
import { noFaults } from "../../sandbox/faults.ts";
import { type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import type { Context } from "../shared/context.ts";
import { readSandboxSetup, type SandboxFlags } from "./setup.ts";

/** Serves the sandbox until a signal stops it. */
export async function serveSandbox(flags: SandboxFlags, context: Context): Promise<void> {
  const { host, presenter, redactor } = context;
  const setup = await readSandboxSetup(flags, host);
  const { stop } = host.interruption();
  const sandbox = await startSandbox({
    ...setup,
    port: flags.port,
    now: host.now,
    newId: randomUUID,
    ...(flags.log && { log: logTo(context) }),
  });
  const { url, keys } = sandbox;
  for (const key of keys) redactor.reveal(key);
  const seed = setup.faults.text === noFaults.text ? undefined : setup.seed;
  presenter.show(sandboxView({ url, keys, account: setup.account, seed }));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  presenter.note(tallyText(sandbox.tally()));
}

function logTo({ host, presenter }: Context): NonNullable<SandboxOptions["log"]> {
  return (request, { reply, fault, to, mode, segments }) => {
    const result = reply.kind === "answer" ? reply.status : reply.kind;
    presenter.trace(requestText(host.now(), request, result, { fault, to, mode, segments }));
  };
}
