import { once } from "node:events";
import { plural } from "../words/count.ts";
import { agoText } from "../terminal/ago.ts";
import { alignedLines, visible } from "../terminal/text.ts";
import { listingText } from "../terminal/layout.ts";
import type { Page, View, Context, Perform } from "../terminal/context.ts";
import { invalidOption } from "../errors.ts";
import { execInSandbox, inboxAddress, openSandbox, tallyText } from "../trials/beside-sandbox.ts";
import { awaitMessages } from "../trials/sandbox-messages.ts";
import { readFaults } from "../sandbox/faults.ts";
import type { Handled, SandboxMessage } from "../sandbox/reply.ts";
import type { Sandbox, SandboxOptions } from "../sandbox/server.ts";
import { readSenders, sandboxKeys, sendPaths, type Setup } from "../sandbox/setup.ts";
import { lacking, amounts, number, severalTimes } from "../sending/option-values.ts";
import { newCommand, type OptionsOf } from "./shared/options.ts";

export function sandboxCommand(perform: Perform) {
  return sandboxOptions()
    .action((_, command) => perform(command, serve))
    .addCommand(messagesOptions().action((_, command) => perform(command, listMessages)))
    .addCommand(
      execOptions().action((words, _, command) =>
        perform(command, async (options, context) => {
          if (options.everyFault) return proveScript(words, options, context);
          for (const name of ["json", "timeout"] as const)
            if (options[name]) throw lacking(`--${name}`, "--every-fault");
          return execInSandbox(words, options.expectMessages, setupOf(options), context);
        }),
      ),
    );
}

function sandboxOptions() {
  const command = newCommand("sandbox", {
    endsWith: "done",
    description: "Simulate the messaging service on this machine until Ctrl-C. No message reaches a phone.",
    uses: ["json", "quiet"],
    examples: [
      "sms sandbox",
      "sms sandbox --credits 10 --rate starter",
      'sms sandbox --fault "500:5%,reset-after:1%"',
      "sms sandbox --port 0 --json",
      "sms sandbox messages --to +254712345678 --wait-for 1",
      "sms sandbox --host 0.0.0.0",
      "sms sandbox exec --expect-messages 1 -- sh notify.sh",
    ],
    notes: `--fault takes shares of 400, 401, 402, 403, 429, 500, 502, 503, reset-before, reset-after, hang, garbage and cut-body, and latency:MIN..MAX in milliseconds.

The number +254700 and these digits always gets the fault: 000400 and so on for a status, 000597 reset-before, 000598 reset-after, 000599 hang, 000200 garbage, 000201 cut-body.

The first --sender is the default. The page at / shows messages and refused requests as they come.`,
  });
  return (
    withSetup(command)
      .option("--host <address>", "serve other machines too, at 0.0.0.0 for example")
      .option("--port <port>", "the port; 0 picks a free one (default: 4010)", number("a port", 0, 65_535))
      // For the options of the command that exec runs.
      .enablePositionalOptions()
  );
}

function messagesOptions() {
  return newCommand("messages", {
    endsWith: "list",
    description: "Print the messages that a sandbox accepted, oldest first.",
    uses: ["profile", "json", "quiet"],
    examples: [
      "sms sandbox messages",
      "sms sandbox messages --to +254712345678 --wait-for 1 --timeout 5",
      "sms sandbox messages --json",
    ],
    notes:
      "Without --url it asks SMS_BASE_URL, else the base URL of the profile, if that is on this machine, else port 4010. If fewer messages than --wait-for arrive in time, the exit code is 11.",
  })
    .summary("print the messages that a sandbox accepted")
    .option("--url <url>", "the address of the sandbox")
    .option("--to <number>", "only messages to this number")
    .option("--wait-for <n>", "wait for n messages", number("a whole number of messages", 1, 100_000))
    .option("--timeout <seconds>", "wait no longer than this (default: 10)", amounts.timeout);
}

function execOptions() {
  const command = newCommand("exec", {
    endsWith: "done",
    description:
      "Start a sandbox on a free port, run a command with SMS_BASE_URL and SMS_API_KEY set for it, and end with the exit code of the command.",
    uses: ["json", "quiet"],
    examples: [
      "sms sandbox exec -- npm test",
      "sms sandbox exec --every-fault -- sh notify.sh",
      "sms sandbox exec --expect-messages 1 -- sh notify.sh",
      'sms sandbox exec --credits 1 --fault "500:10%" -- ./send-invoices',
    ],
    notes: `The command runs without a shell. Options after its name are its own, and it gets the signals. If it ends with 0 and sent more or fewer messages than --expect-messages, the exit code is 11; otherwise it is the command's.

--every-fault runs it beside a fresh sandbox for each of 400, 401, 402, 403, 429, 500, 503, unreachable, reset, silent, garbled and half, which its first send meets. If somebody got the same text twice, or got nothing though it ended with 0, or if it did not end in time, the exit code is 11.

The command gets the live key, or the test key if SMS_EXPECT is test. It does not see your profiles and runs.`,
  }).summary("run a command with a sandbox, and count its messages");
  const messages = number("a whole number of messages", 0, 100_000);
  return withSetup(command)
    .argument("<command...>", "the command and its arguments")
    .option("--expect-messages <n>", "fail unless the sandbox accepted n messages", messages)
    .option("--every-fault", "run it once for each of twelve faults")
    .option("--timeout <seconds>", "with --every-fault: end it after this (default: 60)", amounts.timeout)
    .passThroughOptions();
}

function withSetup(command: ReturnType<typeof newCommand>) {
  return command
    .option("--credits <n>", "the credits to start with (default: 1000)", amounts.credits)
    .option("--rate <n>", "n/min, free, starter or professional (default: free)", amounts.rate)
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", severalTimes)
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"');
}

async function proveScript(words: readonly string[], options: OptionsOf<typeof execOptions>, context: Context) {
  const other = options.expectMessages === undefined ? options.fault && "--fault" : "--expect-messages";
  if (other) throw invalidOption(`${other} is not for --every-fault`, "leave one of the two out");
  const { tryEveryFault } = await import("../trials/every-fault.ts");
  return tryEveryFault(words, options, setupOf(options), context);
}

/** Throws `INVALID_OPTION` or `INVALID_FAULT`. */
function setupOf({ credits, rate, sender, fault }: ReturnType<ReturnType<typeof withSetup>["opts"]>): Partial<Setup> {
  return {
    credits,
    rate,
    senders: sender && readSenders(sender),
    faults: fault === undefined ? fault : readFaults(fault),
  };
}

async function serve(options: OptionsOf<typeof sandboxOptions>, context: Context): Promise<void> {
  const { port = 4010, host = "127.0.0.1" } = options;
  const { presenter } = context;
  // From here on a signal closes the sandbox.
  const { stop } = context.host.interruption();
  const onAnswer: SandboxOptions["onAnswer"] = ({ path }, handled) => {
    if (sendPaths.includes(path)) presenter.tell((page) => handledText(context.host.now(), handled, page));
  };
  const sandbox = await openSandbox({ ...setupOf(options), port, host, onAnswer }, context);
  if (sandbox.token !== undefined)
    presenter.warn("Anyone who reaches this port can send to the sandbox: its keys are public.");
  presenter.show(sandboxView(sandbox));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  presenter.note(tallyText(sandbox));
}

async function listMessages(options: OptionsOf<typeof messagesOptions>, context: Context): Promise<void> {
  if (options.timeout !== undefined && options.waitFor === undefined) throw lacking("--timeout", "--wait-for");
  const messages = await awaitMessages(options, context);
  context.presenter.show(messagesView(messages, context.host.now()));
  if (messages.length === 0) context.presenter.note("No messages.");
}

function handledText(at: number, { reply, accepted, send = {} }: Handled, { isTerminal, paint }: Page): string {
  if (!isTerminal) return "";
  const { to, mode = "-", fault, isCheck } = send;
  const isTaken = isCheck && reply.kind === "answer" && reply.status === 400;
  const ends = { cut: "cut off", half: "cut half-way", hang: "never answered" };
  const words = reply.kind === "answer" ? [reply.status, reply.errorCode] : [ends[reply.kind]];
  const answer = isTaken ? "taken" : [...words, fault && `(${fault})`].filter(Boolean).join(" ");
  const isWhole = reply.kind === "answer" && fault === undefined;
  const colour = isTaken ? paint.good : accepted === undefined ? paint.bad : isWhole ? paint.good : paint.doubtful;
  const length = accepted === undefined ? "" : `, ${plural(accepted.segments, "segment")}`;
  const recipient = isCheck ? "check of credentials" : to === undefined ? "no number" : visible(to);
  const time = new Date(at).toLocaleTimeString("en-GB");
  return `${paint.faint(time)}  ${mode.padEnd(7)}  ${recipient}${length}  ${colour(answer)}\n`;
}

function sandboxView(sandbox: Sandbox): View {
  const { url, token } = sandbox;
  const keyTexts = sandboxKeys.map((key) => `${key} (${key.startsWith("sk_live_") ? "live: charged" : "test: free"})`);
  const others = token === undefined ? "" : "\nOther machines reach it by a name or address of this one.\n";
  const guide = (page: Page) =>
    alignedLines(page, [
      ["Inbox", inboxAddress(sandbox)],
      ["Keys", keyTexts.join(", ")],
      ["Numbers", "+254700000400 401 402 403 429 500 502 503 get that answer"],
      ["", "+254700000598 is cut off, …599 never answered, …200 not JSON"],
    ]);
  return {
    json: () => ({ url, keys: sandboxKeys, token }),
    quiet: () => [url],
    text: (page) => `The sandbox listens at ${url}; Ctrl-C stops it.

${guide(page)}
In another shell:

  export SMS_BASE_URL=${url} SMS_API_KEY=${sandboxKeys[0]}
  sms send --to +254712345678 --message "Hello"
${others}
`,
  };
}

function messagesView(messages: readonly SandboxMessage[], now: number): View {
  const rows = messages.map(({ at, to, senderId, mode, segments, message }) =>
    [agoText(Date.parse(at), now), to, senderId, mode, String(segments), message].map(visible),
  );
  return {
    json: () => messages,
    quiet: () => messages.map(({ messageId }) => visible(messageId)),
    text: (page) => listingText(page, [["TIME", "TO", "FROM", "MODE", "SEGMENTS", "TEXT"], ...rows]),
  };
}
