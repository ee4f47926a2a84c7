import { hash } from "node:crypto";
import { isLive, type Mode } from "../service/credentials.ts";

/** The texts that all watches have sent to a number. */
export interface WatchKeeper {
  /** The ages of the texts in milliseconds, the oldest first. Throws if no text could be put there. */
  readonly ages: (name: string) => Promise<readonly number[]>;
  /** Puts a text there, unless so many went within that time, in one step. Undefined if there is no room. */
  readonly take: (name: string, most: MostTexts) => Promise<string | undefined>;
  /** A text that counts went now; another one gives its slot back. */
  readonly end: (name: string, slot: string, counts: boolean) => Promise<void>;
}

interface MostTexts {
  readonly texts: number;
  readonly timeMs: number;
}

/** The record has no number, since somebody may have turned the history off. Texts that reach no phone count apart. */
export function watchName(to: string, mode: Mode): string {
  return hash("sha256", JSON.stringify([to, isLive(mode) ? "live" : mode])).slice(0, 32);
}

/** No limit has more texts. */
export const mostKept = 9_999;
