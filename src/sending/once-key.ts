import { invalidOption } from "../errors.ts";
import type { ProfileInUse } from "../profiles/resolve.ts";
import { type OnceUse, onceUse, type UsedKey } from "../record/once.ts";
import type { Message } from "../message/fields.ts";
import type { Mode } from "../service/credentials.ts";
import { actorText } from "../terminal/text.ts";
import { type Destination, isInProcess, runDestination } from "./destination.ts";
import { requireRecord, sharedRecord } from "../profiles/record.ts";
import { stateFolder } from "../profiles/folders.ts";
import { namesIn } from "../files/file-system.ts";
import type { Host } from "../host.ts";
import type { Context, Presenter } from "../terminal/context.ts";

export type Once = Awaited<ReturnType<typeof openOnce>>;

export interface OnceMessage extends Message {
  /** `--once` compares this in place of a text that is another each time. */
  readonly onceText?: string;
}

export interface Replay {
  /** In a team this names the person as well. */
  readonly at: string;
  /** If `--for` pauses the key, these words say until when; else they are empty. */
  readonly pause: string;
  readonly mode: Mode;
  readonly isSandbox: boolean;
}

const longestKey = 200;

/** Another command may have a key for so much longer than its own time-out. */
const patienceMs = 10_000;

/** Throws a usage error for what cannot be a key. */
export function checkOnceKey(text: string): void {
  if (/^$|[\s_:/.-]$/.test(text)) {
    const end = text === "" ? "is empty" : `ends in ${JSON.stringify(text.slice(-1))}`;
    throw invalidOption(`--once ${JSON.stringify(text)} ${end}: a variable was empty`, "set it, or give a whole key");
  }
  if (text.length > longestKey) throw invalidOption("--once is too long", `give up to ${longestKey} characters`);
}

interface OnceOptions {
  readonly options: { readonly once?: string; readonly for?: number };
  readonly payingProfile: ProfileInUse | undefined;
  readonly context: Pick<Context, "host" | "presenter">;
}

/** Throws a usage error without a folder. */
export async function openOnce(
  { options, payingProfile, context: { host, presenter } }: OnceOptions,
  destination: Destination,
) {
  const { once: text = "", for: pause } = options;
  const keys = await (await requireRecord(host, "keys of --once", payingProfile)).once();
  if (!destination.isSandbox) warnOfNewFolder(host, payingProfile, presenter);
  const key = { text, isInProcess: isInProcess(destination), pauseMs: pause };
  const useOf = ({ onceText, ...message }: OnceMessage): OnceUse => ({
    ...onceUse({ ...message, text: onceText ?? message.text }, runDestination(destination, payingProfile)),
    isSandbox: destination.isSandbox ? true : undefined,
  });
  const untilText = ({ at }: UsedKey) =>
    pause === undefined ? "" : `until ${new Date(Date.parse(at) + pause).toISOString()}`;
  return {
    /** Undefined if a message would be sent. */
    find: (message: OnceMessage) => keys.find(key, useOf(message)),
    doubtHint:
      pause === undefined
        ? "this --once key sends nothing more, and another key sends it again"
        : "the next message under this --once key goes after the pause",
    rule: (use: UsedKey | undefined) => {
      const name = `--once ${JSON.stringify(text)}`;
      if (use === undefined) return `${name}: the key is free`;
      return `${name}: used at ${whenText(use)}, and ${use.outcome.kind}, so nothing is sent ${untilText(use) || "now"}`;
    },
    /** If another command has the key, this waits a little longer than the time of a request. */
    claim: async (message: OnceMessage, timeoutMs: number) => {
      const waiting = "Waiting for another command with the same --once key";
      const claim = await presenter.waitFor(waiting, () => keys.claim(key, useOf(message), timeoutMs + patienceMs));
      if (claim.kind === "ours") return claim;
      const { outcome, mode, isSandbox } = claim;
      const pauseText = untilText(claim) && `, and nothing is sent ${untilText(claim)}`;
      return { kind: "replayed" as const, outcome, replay: { at: whenText(claim), pause: pauseText, mode, isSandbox } };
    },
  };
}

/** A CI runner that is thrown away knows nothing of earlier jobs, and so sends once each time. */
function warnOfNewFolder(host: Host, profile: ProfileInUse | undefined, presenter: Presenter): void {
  if (!host.environment["CI"] || sharedRecord(host, profile) !== undefined) return;
  const path = stateFolder(host)?.path;
  if (path === undefined || namesIn(path).length > 0) return;
  const way = "keep it from job to job, or share a record with SMS_RECORD";
  presenter.warn(`${path} is new and knows nothing that an earlier job sent under this --once key: ${way}`);
}

function whenText({ at, by }: UsedKey): string {
  return by === undefined ? at : `${at} by ${actorText(by)}`;
}
