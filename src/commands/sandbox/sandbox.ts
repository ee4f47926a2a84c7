import { once } from "node:events";
import { plural } from "../../words/count.ts";
import { alignedLines } from "../../terminal/text.ts";
import type { Page, Presenter, View } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import { inboxAddress, openSandbox, tallyText } from "../../sending/sandbox.ts";
import type { Handled } from "../../sandbox/reply.ts";
import type { Sandbox, SandboxOptions } from "../../sandbox/server.ts";
import { sendPaths } from "../../sandbox/setup.ts";
import type { Runner } from "../../terminal/context.ts";
import { number, single } from "../shared/option-values.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { execCommand } from "./exec.ts";
import { messagesCommand } from "./messages.ts";
import { setupOf, withSetupOptions } from "./setup-options.ts";

export function sandboxCommand(run: Runner) {
  const command = withSetupOptions("sandbox")
    .description("Simulate the messaging service on this machine until Ctrl-C. No message reaches a phone.")
    .option("--host <address>", "serve other machines too, at 0.0.0.0 for example", single("--host"))
    .option("--port <port>", "the port; 0 picks a free one (default: 4010)", number("--port", "a port", 0, 65_535))
    // For the options of the command that exec runs.
    .enablePositionalOptions()
    .action(({ port = 4010, host = "127.0.0.1", ...flags }, self) =>
      run(self, async (_, context) => {
        // From here on a signal closes the sandbox.
        const { stop } = context.host.interruption();
        const onAnswer: SandboxOptions["onAnswer"] = ({ path }, handled) => {
          if (sendPaths.includes(path))
            context.presenter.tell((page) => handledText(context.host.now(), handled, page));
        };
        const sandbox = await openSandbox({ ...setupOf(flags), port, host, onAnswer }, context);
        await serve(sandbox, stop, context.presenter);
      }),
    );
  withGlobalOptions(command, ["json", "quiet"]).addCommand(messagesCommand(run)).addCommand(execCommand(run));
  return withExamples(command, examples, notes);
}

const examples = [
  "sms sandbox",
  "sms sandbox --credits 10 --rate starter",
  'sms sandbox --fault "500:5%,reset-after:1%"',
  "sms sandbox --port 0 --json",
  "sms sandbox messages --to +254712345678 --wait-for 1",
  "sms sandbox --host 0.0.0.0",
  "sms sandbox exec --expect-messages 1 -- sh notify.sh",
];

const notes = `--fault takes shares of 400, 401, 402, 403, 429, 500, 502, 503, reset-before, reset-after, hang, garbage and cut-body, and latency:MIN..MAX in milliseconds.

The number +254700 and these digits always gets the fault: 000400 and so on for a status, 000597 reset-before, 000598 reset-after, 000599 hang, 000200 garbage, 000201 cut-body.

The first --sender is the default. The page at / shows messages and refused requests as they come.`;

async function serve(sandbox: Sandbox, stop: AbortSignal, presenter: Presenter): Promise<void> {
  if (sandbox.token !== undefined)
    presenter.warn("Anyone who reaches this port can send to the sandbox: its keys are public.");
  presenter.show(sandboxView(sandbox));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  presenter.note(tallyText(sandbox));
}

function handledText(at: number, { reply, accepted, send = {} }: Handled, { isTerminal, paint }: Page): string {
  if (!isTerminal) return "";
  const { to, mode = "-", fault } = send;
  const ends = { cut: "cut off", half: "cut half-way", hang: "never answered" };
  const words = reply.kind === "answer" ? [reply.status, reply.errorCode] : [ends[reply.kind]];
  const answer = [...words, fault && `(${fault})`].filter(Boolean).join(" ");
  const isWhole = reply.kind === "answer" && fault === undefined;
  const colour = accepted === undefined ? paint.bad : isWhole ? paint.good : paint.doubtful;
  const length = accepted === undefined ? "" : `, ${plural(accepted.segments, "segment")}`;
  const recipient = to === undefined ? "no number" : visible(to);
  const time = new Date(at).toLocaleTimeString("en-GB");
  return `${paint.faint(time)}  ${mode.padEnd(7)}  ${recipient}${length}  ${colour(answer)}\n`;
}

function sandboxView(sandbox: Sandbox): View {
  const { url, keys, token } = sandbox;
  const keyTexts = keys.map((key) => `${key} (${key.startsWith("sk_live_") ? "live: charged" : "test: free"})`);
  const others = token === undefined ? "" : "\nOther machines reach it by a name or address of this one.\n";
  const guide = (page: Page) =>
    alignedLines(page, [
      ["Inbox", inboxAddress(sandbox)],
      ["Keys", keyTexts.join(", ")],
      ["Numbers", "+254700000400 401 402 403 429 500 502 503 get that answer"],
      ["", "+254700000598 is cut off, …599 never answered, …200 not JSON"],
    ]);
  return {
    json: () => ({ url, keys, token }),
    quiet: () => [url],
    text: (page) => `The sandbox listens at ${url}; Ctrl-C stops it.

${guide(page)}
In another shell:

  export SMS_BASE_URL=${url} SMS_API_KEY=${keys[0]}
  sms send --to +254712345678 --message "Hello"
${others}
`,
  };
}
