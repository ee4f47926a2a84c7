import type { SendOptions } from "./options.ts";
import { invalidOption } from "../errors.ts";
import type { ChosenProfile } from "../profiles/resolve.ts";
import { type HeldKey, onceTerms, type UsedKey } from "../record/once.ts";
import type { Message } from "../message/fields.ts";
import { actorText } from "../terminal/text.ts";
import type { Context } from "../terminal/context.ts";
import type { Destination } from "./destination.ts";
import { requireRecord } from "../profiles/record.ts";
import { runDestination } from "./run.ts";
import type { SentMessage } from "./single.ts";

export interface Once {
  /** Returns what used the key up; undefined if a message would be sent. Throws as `find` of the record. */
  readonly find: () => Promise<UsedKey | undefined>;
  /** What to do about a message that may have arrived. */
  readonly doubtHint: string;
  readonly rule: (used: UsedKey | undefined) => string;
  /**
   * Sends the message, or returns what is recorded. `check` throws if nothing may be sent now. The key is used from a moment
   * before `send` on, and free again if that sent nothing. Another command may hold it for `timeoutMs` and a little longer.
   */
  readonly send: (timeoutMs: number, check: () => Promise<void>, send: SendUnderKey) => Promise<SentMessage>;
}

/** Sends a message, and says when its request may have begun, and when that request was provably not sent. */
type SendUnderKey = (onRequest: (mayHaveBegun: boolean) => Promise<void>) => Promise<SentMessage>;

/** The longest key, in UTF-16 code units. */
const longestKey = 200;

/** How much longer than its time-out another command may hold a key. Milliseconds. */
const patience = 10_000;

/**
 * Opens the key of a message with the text that the person wrote. Throws a usage error for what cannot be a key, or without a
 * folder.
 */
export async function openOnce(
  { once: text = "", for: pause }: Pick<SendOptions, "once" | "for">,
  message: Message,
  destination: Destination,
  chosen: ChosenProfile | undefined,
  { host, presenter }: Context,
): Promise<Once> {
  if (/^$|[\s_:/.-]$/.test(text)) {
    const end = text === "" ? "is empty" : `ends in ${JSON.stringify(text.slice(-1))}`;
    throw invalidOption(`--once ${JSON.stringify(text)} ${end}: a variable was empty`, "set it, or give a whole key");
  }
  if (text.length > longestKey) throw invalidOption("--once is too long", `give up to ${longestKey} characters`);
  const keys = await requireRecord(host, "keys of --once", chosen).once();
  const key = { text, isSandbox: destination.mode === "sandbox", pause };
  const terms = onceTerms(message, runDestination(destination, chosen));
  return {
    find: () => keys.find(key, terms),
    doubtHint:
      pause === undefined
        ? "find out whether it arrived: this --once key sends nothing more, and another key sends it again"
        : "find out whether it arrived: the next message under this --once key goes after the pause",
    rule: (used) => {
      const name = `--once ${JSON.stringify(text)}`;
      if (used === undefined) return `${name}: the key is free`;
      const until = endOf(used, pause);
      const time = until === undefined ? "now" : `until ${until}`;
      return `${name}: used at ${whenText(used)}, and ${used.outcome.kind}, so nothing is sent ${time}`;
    },
    send: async (timeoutMs, check, send) => {
      const waiting = "Waiting for another command with the same --once key";
      const claimed = await presenter.waitFor(waiting, () => keys.claim(key, terms, timeoutMs + patience));
      if (claimed.kind === "used") {
        const { outcome, mode } = claimed;
        const replayed = { at: whenText(claimed), until: endOf(claimed, pause), mode };
        return { outcome, replayed };
      }
      try {
        await check();
        return await sendUnder(claimed, check, send, presenter.warn);
      } finally {
        await claimed.release();
      }
    },
  };
}

/** Returns when a message was sent, and who sent it if a team shares the key. */
function whenText({ at, by }: UsedKey): string {
  return by === undefined ? at : `${at} by ${actorText(by)}`;
}

/** Returns when the pause of a key ends; undefined if the key is used up for good. */
function endOf({ at }: UsedKey, pause: number | undefined): string | undefined {
  return pause === undefined ? undefined : new Date(Date.parse(at) + pause).toISOString();
}

async function sendUnder(
  held: HeldKey,
  check: () => Promise<void>,
  send: SendUnderKey,
  warn: (text: string) => void,
): Promise<SentMessage> {
  const attempt = async (problem: string, change: () => Promise<void>) => {
    try {
      await change();
    } catch (error) {
      warn(`${problem}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let mayHaveBegun = false;
  let sent: SentMessage;
  try {
    await held.intend();
    sent = await send(async (isBegun) => {
      mayHaveBegun = false;
      if (isBegun) {
        await held.intend();
        // The disk may have taken long.
        await check();
      }
      // A kill in the pause before another try must not leave the key in doubt. If this fails, the outcome frees the key.
      else await held.withdraw().catch(() => {});
      mayHaveBegun = isBegun;
    });
  } catch (error) {
    const problem = "nothing was sent, but the --once key is not free, so it counts as uncertain";
    if (!mayHaveBegun) await attempt(problem, held.withdraw);
    throw error;
  }
  await attempt("the outcome is not recorded, so the --once key counts as uncertain", () => held.settle(sent.outcome));
  return sent;
}
