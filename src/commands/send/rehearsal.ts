import { numberKey } from "../../message/number-set.ts";
import { usageError } from "../../errors.ts";
import { type Guard, holdOf } from "../../guards/guard.ts";
import { redirected, type RehearsalCount } from "../../guards/rehearsal.ts";
import { countText, plural } from "../../output/text.ts";
import { type FindCountry, readRecipient } from "../../recipients/check.ts";
import { refuseHeld } from "../../recipients/message.ts";
import type { DraftMessage } from "../../record/plan.ts";

/** A run whose first messages go to one number. */
interface Rehearsal {
  /** The guard of the real recipients; those that the run would refuse are only counted. */
  readonly guard: Guard;
  readonly redirect: (messages: AsyncIterable<DraftMessage>) => AsyncIterable<DraftMessage>;
  /** Returns what is sent instead, in words, once the messages are read. */
  readonly text: () => string;
}

/** Messages of a rehearsal, by default. */
const defaultMost = 3;

/** Opens the rehearsal of `--redirect-to`. Throws a usage error if nothing may be sent to that number. */
export function openRehearsal(
  redirectTo: string,
  { first: most = defaultMost, gsm7 = false }: { readonly first?: number; readonly gsm7?: boolean },
  country: FindCountry | undefined,
  guards: readonly Guard[],
): Rehearsal {
  const number = readRecipient({ to: redirectTo, isTyped: true }, country);
  if (number.kind === "refused") {
    throw usageError(
      "INVALID_NUMBER",
      `--redirect-to ${JSON.stringify(redirectTo)} cannot be read: ${number.reason}`,
      number.hint,
    );
  }
  const { e164: to, assigned } = number;
  refuseHeld(holdOf(guards, numberKey(to)));
  const count: RehearsalCount = { messages: 0, all: 0, added: 0 };
  let refused = 0;
  return {
    guard: {
      hold: (key) => {
        const [first, ...others] = guards.flatMap(({ hold }) => hold?.(key) ?? []);
        if (first?.effect !== "refuse") return first;
        refused++;
        return others.find(({ effect }) => effect !== "refuse");
      },
    },
    redirect: (messages) => redirected(messages, { to, most, gsm7 }, count),
    text: () => {
      const warning = assigned ? "" : " (in no range of numbers known to be in use)";
      const messages = `${countText(count.messages)} of ${plural(count.all, "message")}`;
      const what = `--redirect-to: ${messages} to ${to}${warning} instead`;
      const segments = count.added === 0 ? "no segment" : plural(count.added, "segment");
      const added = `naming the recipient in front adds ${segments}`;
      const refusal = refused === 0 ? "" : `; the run itself would be refused for ${plural(refused, "recipient")}`;
      return `${what}, and ${added}${refusal}`;
    },
  };
}
