import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { variable } from "../profiles/environment.ts";
import { type EndingKind, interruptionError } from "../errors.ts";
import type { Host } from "../host.ts";
import { plural } from "../words/count.ts";
import { tokenVariable } from "./sandbox-messages.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../sandbox/server.ts";
import { sandboxKeys, type Setup } from "../sandbox/setup.ts";
import { runChildCommand } from "../sending/notify/child-command.ts";
import type { Context } from "../terminal/context.ts";

const mostListed = 20;

export async function openSandbox(
  options: Omit<SandboxOptions, "now" | "random">,
  { host, redactor }: Context,
): Promise<Sandbox> {
  const { now, random } = host;
  const sandbox = await startSandbox({ ...options, now, random });
  for (const key of sandboxKeys) redactor.reveal(key);
  return sandbox;
}

/** Runs a command that sends to a sandbox of its own. The exit code is the command's, unless the messages are not as many as expected. */
export async function execInSandbox(
  [name = "", ...words]: readonly string[],
  expectedMessages: number | undefined,
  setup: Partial<Setup>,
  context: Context,
): Promise<EndingKind | number> {
  const { host, presenter } = context;
  return besideSandbox(setup, context, async (sandbox, environment) => {
    presenter.note(`The sandbox listens at ${sandbox.url}.`);
    // A log may have more readers than a terminal, and the address has the token.
    presenter.tell(({ isTerminal }) => (isTerminal ? `The inbox: ${inboxAddress(sandbox)}\n` : ""));
    const end = await runChildCommand([name, ...words], environment, host);
    if (end.kind === "not-started") return reportNotStarted(name, end, context);
    presenter.note(tallyText(sandbox));
    if (end.exitCode !== 0 || expectedMessages === undefined) return end.exitCode;
    return checkMessages(sandbox, expectedMessages, context);
  });
}

/** The sandbox and the folders that the environment names are gone afterwards. */
export async function besideSandbox<Result>(
  setup: Partial<Setup>,
  context: Context,
  work: (sandbox: Sandbox, environment: Host["environment"]) => Promise<Result>,
): Promise<Result> {
  const { stop } = context.host.interruption();
  const sandbox = await openSandbox({ ...setup, port: 0, isPrivate: true }, context);
  const folder = mkdtempSync(join(tmpdir(), "sms-sandbox-"));
  try {
    if (stop.aborted) throw interruptionError(stop, "none");
    return await work(sandbox, environmentFor(sandbox, folder, context.host));
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function reportNotStarted(
  name: string,
  { reason, exitCode }: { readonly reason: string; readonly exitCode: number },
  { presenter }: Context,
): number {
  presenter.fail({
    kind: "usage",
    message: `cannot run ${JSON.stringify(name)}: ${reason}`,
    errorCode: "COMMAND_NOT_STARTED",
    hint: "it is run without a shell; for shell syntax, give it to `sh -c`",
  });
  return exitCode;
}

/** Takes all other credentials away, and the record of the team: a trial must use up no name of a run and no key of `--once`. */
function environmentFor({ token, url }: Sandbox, folder: string, { environment }: Host): Host["environment"] {
  const mode = variable(environment, "SMS_EXPECT") ?? "live";
  const except = environment["no_proxy"] || environment["NO_PROXY"];
  // A proxy could not reach the sandbox.
  const direct = except === "*" ? except : [except, "127.0.0.1"].filter(Boolean).join(",");
  return {
    ...environment,
    SMS_API_KEY: sandboxKeys.find((key) => key.startsWith(`sk_${mode}_`)) ?? sandboxKeys[0],
    SMS_EMAIL: undefined,
    SMS_PASSWORD: undefined,
    SMS_API_KEY_FILE: undefined,
    SMS_API_KEY_CMD: undefined,
    SMS_PROFILE: undefined,
    SMS_RECORD: undefined,
    no_proxy: direct,
    NO_PROXY: direct,
    SMS_BASE_URL: url,
    [tokenVariable]: token,
    SMS_CONFIG_DIR: join(folder, "config"),
    SMS_STATE_DIR: join(folder, "state"),
  };
}

function checkMessages(sandbox: Sandbox, expected: number, { presenter }: Context): EndingKind {
  const { messages } = sandbox.tally();
  if (messages === expected) return "accepted";
  const examples = sandbox.messages().slice(0, mostListed);
  const more = messages - examples.length;
  presenter.fail({
    kind: "incomplete",
    message: `the sandbox accepted ${plural(messages, "message")}, and ${expected} ${expected === 1 ? "was" : "were"} expected`,
    errorCode: "UNEXPECTED_MESSAGES",
    details: [
      ...examples.map(({ at, to, mode, segments }) => `${at} ${mode} ${to}, ${plural(segments, "segment")}`),
      ...(more > 0 ? [`and ${plural(more, "message")} more`] : []),
    ],
  });
  return "incomplete";
}

export function inboxAddress({ url, token }: Sandbox): string {
  return `${url}/${token === undefined ? "" : `?token=${token}`}`;
}

export function tallyText(sandbox: Sandbox): string {
  const { messages, segments, credits } = sandbox.tally();
  return `Received ${plural(messages, "message")} in ${plural(segments, "segment")}; ${plural(credits, "credit")} would be charged.`;
}
