import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { variable } from "../../profiles/variable.ts";
import { type EndingKind, interruption } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { plural } from "../../words/count.ts";
import { tokenVariable } from "../../sending/sandbox-client.ts";
import type { Sandbox } from "../../sandbox/server.ts";
import { runChildCommand } from "../../sending/notify/child-command.ts";
import type { Context, Runner } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { number } from "../shared/option-values.ts";
import { inboxAddress, openSandbox, tallyText, withSetupOptions } from "./open.ts";

type ExecFlags = Readonly<ReturnType<ReturnType<typeof execOptions>["opts"]>>;

const mostListed = 20;

async function execInSandbox(
  [name = "", ...words]: readonly string[],
  { expectMessages, ...flags }: ExecFlags,
  context: Context,
): Promise<EndingKind | number> {
  const { host, presenter } = context;
  const { stop } = host.interruption();
  const sandbox = await openSandbox(flags, { port: 0, isPrivate: true }, context);
  const folder = mkdtempSync(join(tmpdir(), "sms-sandbox-"));
  try {
    const environment = {
      ...host.environment,
      ...credentialsFor(variable(host.environment, "SMS_EXPECT") ?? "live", sandbox.keys),
      ...withoutProxy(host.environment),
      SMS_BASE_URL: sandbox.url,
      [tokenVariable]: sandbox.token,
      SMS_CONFIG_DIR: join(folder, "config"),
      SMS_STATE_DIR: join(folder, "state"),
      // A trial must use up no name of a run and no key of --once of the team.
      SMS_RECORD: undefined,
    };
    if (stop.aborted) throw interruption(stop, "none");
    presenter.note(`The sandbox listens at ${sandbox.url}.`);
    // A log may have more readers than a terminal, and the address has the token.
    presenter.tell(({ isTerminal }) => (isTerminal ? `The inbox: ${inboxAddress(sandbox)}\n` : ""));
    const end = await runChildCommand([name, ...words], environment, host);
    if (end.kind === "not-started") {
      presenter.fail({
        kind: "usage",
        message: `cannot run ${JSON.stringify(name)}: ${end.reason}`,
        errorCode: "COMMAND_NOT_STARTED",
        hint: "it is run without a shell; for shell syntax, give it to `sh -c`",
      });
      return end.exitCode;
    }
    presenter.note(tallyText(sandbox));
    if (end.exitCode !== 0 || expectMessages === undefined) return end.exitCode;
    return checkMessages(sandbox, expectMessages, context);
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All other credentials are taken away from the command. */
function credentialsFor(mode: string, keys: readonly string[]): Host["environment"] {
  return {
    SMS_API_KEY: keys.find((key) => key.startsWith(`sk_${mode}_`)) ?? keys[0],
    SMS_EMAIL: undefined,
    SMS_PASSWORD: undefined,
    SMS_API_KEY_FILE: undefined,
    SMS_API_KEY_CMD: undefined,
    SMS_PROFILE: undefined,
  };
}

/** Exempts the sandbox from a proxy, which could not reach it. */
function withoutProxy(environment: Host["environment"]): Host["environment"] {
  const except = environment["no_proxy"] || environment["NO_PROXY"];
  const list = except === "*" ? except : [except, "127.0.0.1"].filter(Boolean).join(",");
  return { no_proxy: list, NO_PROXY: list };
}

function checkMessages(sandbox: Sandbox, expected: number, { presenter }: Context): EndingKind {
  const { messages } = sandbox.tally();
  if (messages === expected) return "accepted";
  const listed = sandbox.messages().slice(0, mostListed);
  const more = messages - listed.length;
  presenter.fail({
    kind: "incomplete",
    message: `the sandbox accepted ${plural(messages, "message")}, and ${expected} ${expected === 1 ? "was" : "were"} expected`,
    errorCode: "UNEXPECTED_MESSAGES",
    details: [
      ...listed.map(({ at, to, mode, segments }) => `${at} ${mode} ${to}, ${plural(segments, "segment")}`),
      ...(more > 0 ? [`and ${plural(more, "message")} more`] : []),
    ],
  });
  return "incomplete";
}

export function execCommand(run: Runner) {
  const command = execOptions()
    .passThroughOptions()
    .action((words, flags, self) => run(self, async (_, context) => execInSandbox(words, flags, context)));
  return withExamples(withGlobalOptions(command, ["quiet"]), examples, notes);
}

function execOptions() {
  return withSetupOptions("exec")
    .summary("run a command with a sandbox, and count its messages")
    .description(
      "Start a sandbox on a free port, run a command with SMS_BASE_URL and SMS_API_KEY set for it, and end with the exit code of the command.",
    )
    .argument("<command...>", "the command and its arguments")
    .optionsGroup("")
    .option(
      "--expect-messages <n>",
      "fail unless the sandbox accepted n messages",
      number("--expect-messages", "a whole number of messages", 0, 100_000),
    );
}

const examples = [
  "sms sandbox exec -- npm test",
  "sms sandbox exec --expect-messages 1 -- sh notify.sh",
  'sms sandbox exec --credits 1 --fault "500:10%" -- ./send-invoices',
];

const notes = `The command runs without a shell. Options after its name are its own, and it gets the signals. If it ends with 0 and sent more or fewer messages than --expect-messages, the exit code is 11; otherwise it is the command's.

The command gets the live key, or the test key if SMS_EXPECT is test. It does not see your profiles and runs.`;
