import { openRecord } from "../../profiles/record.ts";
import { watchName } from "../../record/watched.ts";
import { failureIn } from "../../terminal/presenter.ts";
import { recordedMode } from "../destination.ts";
import type { AnySend } from "../opening.ts";
import type { AtMost } from "../option-values.ts";

interface TakenSlot {
  readonly kind: "slot";
  readonly end: (counts: boolean) => Promise<void>;
}

const unrecorded: TakenSlot = { kind: "slot", end: async () => {} };

/** The slots for notices of all watches, since together they must not pass --at-most. */
export async function openSlots(send: AnySend, atMost: AtMost) {
  const { payingProfile, destination, history, context } = send;
  const { now, wallClock } = context.host;
  const { always } = context.presenter;
  const isCounted = send.kind !== "dry-run" && payingProfile !== undefined;
  const record = isCounted ? await openRecord(context.host, payingProfile) : undefined;
  if (isCounted && record === undefined)
    always("Warning: no folder keeps a record (SMS_STATE_DIR), so a restart forgets what --at-most has counted");
  const keeper = await record?.watched();
  const mode = destination.kind === "service" ? recordedMode(destination) : "test";
  const nameOf = (to: string) => watchName(to, mode);
  let isSaid = false;
  const warn = (error: unknown, effect: string) => {
    const { message, hint = "" } = failureIn(error, false);
    if (!isSaid) always(`Warning: the record cannot be read and written (${message}), so ${effect}. ${hint}`.trimEnd());
    isSaid = true;
  };
  const countsAlone = `--at-most ${atMost.words} counts the texts of this watch`;
  const end = async (name: string, slot: string, counts: boolean) =>
    keeper?.end(name, slot, counts).catch((error: unknown) => warn(error, countsAlone));
  const agesOf = async (to: string) => (await keeper?.ages(nameOf(to))) ?? [];
  return {
    /** A restart must not pass --at-most. The times are by `host.now`, the earliest first. */
    earlierTimes: async (recipients: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> => {
      const time = now();
      try {
        // The slots need no history, but a watch tells nobody again that its texts are missing there.
        await history?.requireWritable(new Date(wallClock()).toISOString());
        const all = new Map<string, readonly number[]>();
        for (const to of recipients)
          all.set(
            to,
            (await agesOf(to)).map((age) => time - age),
          );
        return all;
      } catch (error) {
        warn(error, `--at-most ${atMost.words} counts as used up now: lines are gathered`);
        return new Map(recipients.map((to) => [to, Array<number>(atMost.texts).fill(time)]));
      }
    },
    take: async (to: string): Promise<TakenSlot | { readonly kind: "full"; readonly ms: number }> => {
      if (keeper === undefined) return unrecorded;
      const name = nameOf(to);
      try {
        const slot = await keeper.take(name, atMost);
        if (slot !== undefined) return { kind: "slot", end: (counts) => end(name, slot, counts) };
        const age = (await keeper.ages(name)).at(-atMost.texts) ?? Infinity;
        return { kind: "full", ms: Math.max(0, atMost.timeMs - age) + 1 };
      } catch (error) {
        warn(error, countsAlone);
        return unrecorded;
      }
    },
  };
}
