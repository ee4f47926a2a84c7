import { interruptionError, SmsError, usageError } from "../errors.ts";
import type { Host, Terminal } from "../host.ts";
import { paragraph } from "./text.ts";

/** Ctrl-C rejects with `interrupted`; Ctrl-D, and a no to a confirmation, with `DECLINED`. */
export interface Prompter {
  readonly ask: (question: string, initial: string | undefined, check: AnswerCheck) => Promise<string>;
  readonly askSecret: (question: string, check: (answer: string) => void) => Promise<string>;
  /** Enter without text is a no. Text that was typed before the question is there is no answer. */
  readonly confirm: (question: string, hint?: string) => Promise<void>;
}

type AnswerCheck = (answer: string) => unknown;

/** The service may refuse the answer, so no green mark stands before it. */
const secretLook = { mask: "*", toggleMask: false, theme: { prefix: { idle: "?", done: "-" } } } as const;

type PromptContext = Omit<Terminal, "discardTyped"> & { readonly signal: AbortSignal };

/** Undefined unless stdin and stderr are terminals, CI is not set and `--no-input` is not given. */
export function prompterFor(
  host: Host,
  flags: { readonly input: boolean },
  undone: "added" | "removed" | "sent" | "stored" | "written" = "stored",
): Prompter | undefined {
  const { stderr } = host;
  const terminal = host.terminal();
  if (terminal === undefined || host.environment["CI"] || !flags.input) return undefined;
  // Listening for signals ourselves gives the prompt time to restore the terminal.
  const { stop } = host.interruption();
  const { input, output, discardTyped } = terminal;
  const show = async <Answer>(prompt: (context: PromptContext) => Promise<Answer>, atEnd: () => Answer) => {
    const end = new AbortController();
    // The prompt itself would wait for ever: its input is paused by Ctrl-D, and by fg after Ctrl-Z.
    const onPause = () => end.abort();
    input.once("pause", onPause);
    try {
      return await prompt({ input, output, signal: AbortSignal.any([stop, end.signal]) });
    } catch (error) {
      if (!(error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) throw error;
      if (error.name === "AbortPromptError" && !stop.aborted) return atEnd();
      throw interruptionError(stop, "unsent");
    } finally {
      input.off("pause", onPause);
    }
  };
  const cancel = (hint?: string): never => {
    throw usageError("DECLINED", `Cancelled; nothing was ${undone}.`, hint);
  };
  return {
    ask: (message, initial, check) =>
      show(async (context) => {
        const { default: text } = await import("@inquirer/input");
        const validate = (answer: string) => complaint(check, answer.trim(), stderr.columns());
        return (await text({ message, validate, default: initial }, context)).trim();
      }, cancel),
    askSecret: async (message, check) => {
      const { default: password } = await import("@inquirer/password");
      for (;;) {
        const answer = await show((context) => password({ ...secretLook, message }, context), cancel);
        // A validation of the prompt would keep the refused answer in the line, unseen, so each try is a question.
        const fault = await complaint(check, answer, stderr.columns());
        if (fault === true) return answer;
        output.write(`> ${fault}\n`);
      }
    },
    confirm: async (message, hint) => {
      const { default: confirm } = await import("@inquirer/confirm");
      await discardTyped();
      const atEnd = () => false;
      if (!(await show((context) => confirm({ message, default: false }, context), atEnd))) cancel(hint);
    },
  };
}

/** `--yes` answers for the person. Throws a usage error if the answer is no, or if nobody can be asked. */
export async function confirmLoss(
  question: string,
  options: { readonly input: boolean; readonly yes: boolean },
  host: Host,
): Promise<void> {
  if (options.yes) return;
  const prompter = prompterFor(host, options, "removed");
  if (prompter === undefined) {
    const [what = ""] = question.split("?");
    const act = what.charAt(0).toLowerCase() + what.slice(1);
    throw usageError("NOT_CONFIRMED", `sms cannot ask here whether to ${act}`, "confirm with --yes");
  }
  await prompter.confirm(question);
}

/** A prompt shows the complaint after two columns. */
async function complaint(check: AnswerCheck, answer: string, columns: number): Promise<true | string> {
  try {
    await check(answer);
    return true;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    const hint = error instanceof SmsError ? error.hint : undefined;
    const sentences = hint === undefined ? [error.message] : [error.message, hint];
    return sentences.map((text) => paragraph(text, { columns, column: 2, indent: 2 })).join("\n  ");
  }
}
