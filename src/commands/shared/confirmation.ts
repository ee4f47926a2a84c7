import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { plural } from "../../output/text.ts";
import type { Destination } from "./destination.ts";
import { prompterFor } from "./prompt.ts";

/** Asks before a live run; `--yes`, or `--max-credits` without a terminal, answers for the person. Throws a usage error if the answer is no. */
export async function confirmRun(
  options: { readonly yes: boolean; readonly maxCredits?: number; readonly input: boolean },
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
      `${plural(recipients, "message")} to real phones must be confirmed, and sms cannot prompt here`,
      "confirm with --yes, or limit the cost with --max-credits N",
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
