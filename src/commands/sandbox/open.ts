import { randomUUID } from "node:crypto";
import { requestText } from "../../output/sandbox.ts";
import { noFaults } from "../../sandbox/faults.ts";
import { openKeptFile } from "../../sandbox/kept-file.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import type { AccountLogin } from "../../sandbox/setup.ts";
import type { Context } from "../shared/context.ts";
import { readSandboxSetup, type SandboxFlags } from "./setup.ts";

type Log = NonNullable<SandboxOptions["log"]>;

/** Where a sandbox listens, and the file that keeps its messages. */
export interface Place extends Pick<SandboxOptions, "host" | "port" | "isPrivate"> {
  readonly keep?: string | undefined;
}

/** A sandbox that listens. */
interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly account: AccountLogin;
  /** The seed of its faults; undefined without faults. */
  readonly seed: number | undefined;
}

/**
 * Starts a sandbox with these flags, whose keys may be shown, and with the messages in the file `keep`. Each request goes to
 * `log`, with `--log` to stderr instead.
 */
export async function openSandbox(
  flags: SandboxFlags,
  { keep, ...place }: Place,
  context: Context,
  log: Log = () => {},
): Promise<OpenSandbox> {
  const { host, redactor, presenter } = context;
  const setup = await readSandboxSetup(flags, host);
  // Also with --json, where a warning waits for a result, and no other follows.
  const warn = (text: string) => presenter.trace(redactor.redactForeign(`Warning: ${text}`));
  const kept = keep === undefined ? undefined : openKeptFile(keep, host.uid, warn);
  const sandbox = await startSandbox({
    ...setup,
    ...place,
    now: host.now,
    newId: randomUUID,
    kept,
    log: flags.log ? logTo(context) : log,
  });
  for (const key of sandbox.keys) redactor.reveal(key);
  return { sandbox, account: setup.account, seed: setup.faults.text === noFaults.text ? undefined : setup.seed };
}

function logTo({ host, presenter }: Context): Log {
  return (request, { reply, fault, to, mode, segments }) => {
    const result = reply.kind === "answer" ? reply.status : reply.kind;
    presenter.trace(requestText(host.now(), request, result, { fault, to, mode, segments }));
  };
}
