import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { plural } from "../../output/text.ts";
import type { Destination } from "./destination.ts";
import { prompterFor } from "./prompt.ts";
import type { SendOptions } from "../send/definition.ts";

/** Asks before a live run, or takes `--yes` or `--max-credits` for the answer. Throws a usage error where it is no. */
export async function confirmRun(
  options: Pick<SendOptions, "yes" | "maxCredits" | "input">,
  { mode }: Destination,
  recipients: number,
  host: Host,
): Promise<void> {
  if (mode === "test" || mode === "sandbox" || options.yes) return;
  const prompter = prompterFor(host, options);
  if (prompter === undefined) {
    if (options.maxCredits !== undefined) return;
    throw usageError(
      "NOT_CONFIRMED",
      `this would send ${plural(recipients, "message")} to real phones, and nobody can be asked`,
      "confirm it with --yes, or bound it with --max-credits N",
    );
  }
  if (await prompter.confirm(`Send ${plural(recipients, "message")} to real phones?`)) return;
  throw usageError("DECLINED", "the run was declined");
}

/** Asks before something is removed for good. Asks nothing with `--yes` or without a terminal. Throws a usage error if the answer is no. */
export async function confirmLoss(
  question: string,
  options: { readonly input: boolean; readonly yes?: boolean },
  host: Host,
): Promise<void> {
  if (options.yes) return;
  const prompter = prompterFor(host, options);
  if (prompter === undefined || (await prompter.confirm(question))) return;
  throw usageError("DECLINED", "nothing was removed");
}
