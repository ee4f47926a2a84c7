import { type EndingKind, SmsError } from "../../errors.ts";
import { firstChargeText } from "../../output/first-charge.ts";
import { countText } from "../../output/text.ts";
import type { FirstStage, FirstStop } from "../../runs/stages.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./options.ts";
import { prompterFor } from "./prompt.ts";

/** The flags that decide what follows the first messages of a run. */
export interface FirstFlags {
  readonly first?: number;
  readonly acceptPrice?: true;
}

/**
 * Decides whether the rest of a run is sent after its first messages, and returns undefined if it is. A resume with
 * `--accept-price` says so; so does any resume if all is as estimated, and `--yes` at a terminal. Otherwise a person must say it.
 */
export async function stopAfterFirst(
  { charge, isNew, rest }: FirstStage,
  resume: string,
  options: FirstFlags & Pick<GlobalOptions, "yes" | "input" | "json" | "quiet">,
  { host, presenter }: Context,
): Promise<FirstStop | undefined> {
  const { messages, isAsEstimated } = charge;
  const comparison = `First ${countText(messages)}: ${firstChargeText(charge)}`;
  presenter.note(comparison);
  if (rest === 0) return undefined;
  const isResumed = !isNew && options.first === undefined;
  if (options.acceptPrice || (isAsEstimated && isResumed)) return undefined;
  const prompter = prompterFor(host, options);
  if (prompter !== undefined && isAsEstimated && options.yes) return undefined;
  const others = rest === 1 ? "the other one" : `the other ${countText(rest)}`;
  const first = messages === 1 ? "first message was" : `first ${countText(messages)} were`;
  const error = `only the ${first} to be sent at once (--first): \`${resume}\` sends ${others}`;
  const code = isAsEstimated ? { errorCode: "FIRST_SENT" } : { errorCode: "FIRST_DIFFERS" };
  const failure = { kind: "limit", error, ...code } as const;
  // The note above is not shown with --quiet and --json.
  const heading = options.quiet || options.json ? `${comparison}. ` : "";
  const question = async () => prompter?.confirm(`${heading}Send ${others}?`);
  const ending = await answerOf(presenter.waitFor(undefined, question));
  if (ending === undefined) return undefined;
  presenter.note(`Stopping: ${error}`);
  return { ending, failure };
}

/** Returns undefined for a yes. A signal ends the run, which can be resumed, as at any other time. */
async function answerOf(question: Promise<boolean | undefined>): Promise<EndingKind | undefined> {
  try {
    return (await question) ? undefined : "limit";
  } catch (error) {
    if (error instanceof SmsError && error.errorCode === "INTERRUPTED") return error.kind;
    throw error;
  }
}
