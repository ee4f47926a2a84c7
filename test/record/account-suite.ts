import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dailyLimit, dayOn } from "../../src/guards/daily-limit.ts";
import { readZone } from "../../src/guards/hours.ts";
import type { MessageCredits, Reservations } from "../../src/guards/guard.ts";
import type { Outcome } from "../../src/message/outcome.ts";
import { noResult } from "../../src/record/journal-entry.ts";
import type { SpendingKeeper } from "../../src/record/spending.ts";
import { seed } from "../support/seed.ts";
import { trials } from "../support/trials.ts";
import { type Keeper, openAt } from "./place.ts";
import { reservationOf, reserve, settling } from "./terms.ts";

const ours = "a1b2c3d4";
const today = "2026-11-22";
const some = (...segments: readonly number[]) => reservationOf({ today, limit: 10, segments });

async function dayFrom(keeper: SpendingKeeper, account: string, date = "2000-01-01") {
  return dayOn(date, await keeper.latest(account));
}

/** Reserves what there seems to be room for, and records nothing. */
function onlyLooking(keeper: SpendingKeeper): SpendingKeeper {
  return { ...keeper, change: async (account, next) => next(await keeper.latest(account)) };
}

const ending = fc.oneof(
  fc.record({ kind: fc.constant("accepted" as const), credits: fc.integer({ min: 1, max: 12 }) }),
  fc.constant({ kind: "rejected" as const }),
  // The service charges for the message, and its answer is lost.
  fc.constant({ kind: "lost" as const }),
);
const process = fc.nat(2);
const step = fc.oneof(
  fc.record({
    kind: fc.constant("reserve" as const),
    process,
    segments: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
    takes: fc.nat(4),
  }),
  fc.record({ kind: fc.constant("take" as const), process, segments: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("answer" as const), process, ending, isLatest: fc.boolean() }),
  fc.record({ kind: fc.constant("kill" as const), process }),
  fc.record({ kind: fc.constant("end" as const), process }),
  fc.record({ kind: fc.constant("clock" as const), hours: fc.integer({ min: -30, max: 30 }) }),
  fc.record({ kind: fc.constant("limit" as const), credits: fc.nat(20) }),
);
const story = fc.array(step, { minLength: 5, maxLength: 40 });
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** A command that sends. What it has settled is on record with its next reservation, or when it ends. */
interface Sender {
  readonly reservations: Reservations;
  /** What no message has taken yet. */
  ahead: { readonly date: string; readonly credits: number };
  open: MessageCredits[];
  settled: { readonly message: MessageCredits; readonly charged: number }[];
}

/** An account, and what its credits really became. */
class World {
  readonly #senders: Sender[] = [];
  readonly #keeper: SpendingKeeper;
  readonly #account: string;
  #limit = 10;
  #now = Date.parse("2026-11-22T12:00:00Z");
  /** By day: what the service charged, how much of that no estimate foresaw, and what the record must say. */
  readonly #days = new Map<string, { charged: number; excess: number; spent: number; reserved: number }>();

  constructor(keeper: SpendingKeeper, account: string) {
    this.#keeper = keeper;
    this.#account = account;
    for (let index = 0; index < 3; index++) this.#senders.push(this.#newSender());
  }

  async play(steps: Story): Promise<void> {
    for (const each of steps) await this.#do(each);
    for (const sender of this.#senders) await this.#end(sender);
  }

  async #do(each: Story[number]): Promise<void> {
    if (each.kind === "clock") this.#now += each.hours * 3_600_000;
    else if (each.kind === "limit") this.#limit = each.credits;
    else {
      const sender = this.#senders[each.process];
      if (sender === undefined) return;
      if (each.kind === "reserve") await this.#reserve(sender, each.segments, each.takes);
      else if (each.kind === "take") this.#take(sender, each.segments);
      else if (each.kind === "answer")
        this.#answer(sender, each.isLatest ? sender.open.pop() : sender.open.shift(), each.ending);
      else if (each.kind === "end") await this.#end(sender);
      else this.#kill(sender);
    }
  }

  #newSender(): Sender {
    const terms = () => ({ credits: this.#limit, source: "test", zone: readZone("UTC", ""), raise: () => "" });
    const limited = { keeper: this.#keeper, account: this.#account, terms, now: () => this.#now };
    const reservations = dailyLimit(limited).reservations?.();
    if (reservations === undefined) throw new Error("a day's limit reserves");
    return { reservations, ahead: { date: "", credits: 0 }, open: [], settled: [] };
  }

  #dayOf(date: string) {
    const day = this.#days.get(date) ?? { charged: 0, excess: 0, spent: 0, reserved: 0 };
    this.#days.set(date, day);
    return day;
  }

  async #reserve(sender: Sender, segments: readonly number[], takes: number): Promise<void> {
    const { granted, refusal } = await sender.reservations.reserve(segments);
    this.#write(sender);
    requireThat("a refusal for what is not granted", (refusal === undefined) === (granted === segments.length));
    const { date, creditsPerSegment } = await dayFrom(this.#keeper, this.#account);
    const day = this.#dayOf(date);
    const before = sender.ahead.date === date ? sender.ahead.credits : 0;
    const cost = segments.slice(0, granted).reduce((sum, count) => sum + count * creditsPerSegment, 0);
    const more = Math.max(0, cost - before);
    day.reserved += more;
    sender.ahead = { date, credits: before + more };
    requireThat("no grant over the limit", more < tiny || day.spent + day.reserved <= this.#limit + tiny);
    await this.#check();
    for (const count of segments.slice(0, Math.min(granted, takes))) {
      requireThat("credits for what is granted", this.#take(sender, count));
    }
  }

  #take(sender: Sender, segments: number): boolean {
    const message = sender.reservations.take(segments);
    if (message === undefined) return false;
    const { date, credits } = sender.ahead;
    requireThat("no more taken than is set aside", message.date === date && message.credits <= credits + tiny);
    sender.ahead = { date, credits: credits - message.credits };
    sender.open.push(message);
    return true;
  }

  #answer(
    sender: Sender,
    message: MessageCredits | undefined,
    { kind, credits = 0 }: { readonly kind: string; readonly credits?: number },
  ): void {
    if (message === undefined) return;
    if (kind === "lost") {
      this.#charge(message, message.credits);
      sender.reservations.settle(message, noResult);
    } else {
      const isAccepted = kind === "accepted";
      if (isAccepted) this.#charge(message, credits);
      sender.settled.push({ message, charged: isAccepted ? credits : 0 });
      sender.reservations.settle(message, isAccepted ? receiptOf(credits) : undefined);
    }
  }

  #charge({ date, credits: estimate }: MessageCredits, credits: number): void {
    const day = this.#dayOf(date);
    day.charged += credits;
    day.excess += Math.max(0, credits - estimate);
  }

  /** What is settled is on record, if its day is. */
  #write(sender: Sender): void {
    for (const { message, charged } of sender.settled) {
      const day = this.#dayOf(message.date);
      day.reserved -= message.credits;
      day.spent += charged;
    }
    sender.settled = [];
  }

  async #end(sender: Sender): Promise<void> {
    for (const message of sender.open) sender.reservations.settle(message, undefined);
    sender.settled.push(...sender.open.map((message) => ({ message, charged: 0 })));
    await sender.reservations.giveBack();
    this.#write(sender);
    this.#dayOf(sender.ahead.date).reserved -= sender.ahead.credits;
    this.#replace(sender);
    await this.#check();
  }

  /** The service may have got what was on its way. */
  #kill(sender: Sender): void {
    for (const message of sender.open) this.#charge(message, message.credits);
    this.#replace(sender);
  }

  #replace(sender: Sender): void {
    this.#senders[this.#senders.indexOf(sender)] = this.#newSender();
  }

  async #check(): Promise<void> {
    const { date, spent, reserved } = await dayFrom(this.#keeper, this.#account);
    const day = this.#dayOf(date);
    requireThat("what receipts say as spent", Math.abs(spent - day.spent) < tiny);
    requireThat("all that is set aside, open, lost or cut off as reserved", Math.abs(reserved - day.reserved) < tiny);
    requireThat("no charge that is not on record", day.charged - day.excess <= spent + reserved + tiny);
  }
}

function receiptOf(totalCredits: number): Outcome {
  return { kind: "accepted", receipt: { success: true, messageId: "a", to: "+254712345678", totalCredits } };
}

/** A rounding error of a sum. */
const tiny = 1e-6;

function requireThat(what: string, isSo: boolean): void {
  if (!isSo) throw new Error(`expected ${what}`);
}

/** What every keeper of accounts does. */
export function accountSuite({ newPlace }: Keeper): void {
  const open = async (place = newPlace()) => (await openAt(place).account()).spending();

  describe("the credits of a day", () => {
    it("are reserved for the messages that fit, from the first on", async () => {
      const keeper = await open();
      const reserved = await reserve(keeper, ours, some(4, 5, 2, 1));
      expect(reserved).toEqual({ date: today, spent: 0, reserved: 9, creditsPerSegment: 1, granted: 2 });
      expect(await reserve(keeper, ours, some(1, 1))).toMatchObject({ granted: 1 });
      expect(await reserve(keeper, ours, some(1))).toMatchObject({ granted: 0, reserved: 10 });
      expect(await reserve(keeper, "0000", some(10))).toMatchObject({ granted: 1 });
    });

    it("are those that receipts say, and what is not settled stays reserved", async () => {
      const place = newPlace();
      const keeper = await open(place);
      await reserve(keeper, ours, some(2, 2, 2, 2));
      await reserve(keeper, ours, settling({ date: today, released: 4, charged: 5.5 }, 1.5));
      const day = { date: today, spent: 5.5, reserved: 4, creditsPerSegment: 1.5 };

      expect(await (await open(place)).latest(ours)).toEqual(day);
      // Both in one change: what is released makes room.
      const both = { ...some(1, 1), share: { date: today, ahead: 0, released: 2, charged: 0, creditsPerSegment: 1 } };
      expect(await reserve(keeper, ours, both)).toEqual({ ...day, reserved: 3.5, granted: 1 });
    });

    it("are estimated by the highest charge for a segment, on the next days too", async () => {
      const keeper = await open();
      await reserve(keeper, ours, some(1));
      await reserve(keeper, ours, settling({ date: today, released: 1, charged: 4 }, 4));

      expect(await reserve(keeper, ours, some(2))).toMatchObject({ granted: 0 });
      const tomorrow = { ...some(2), today: "2026-11-23" };
      const reserved = { date: "2026-11-23", spent: 0, reserved: 8, creditsPerSegment: 4, granted: 1 };
      expect(await reserve(keeper, ours, tomorrow)).toEqual(reserved);
    });

    it("are those of the latest day on record when the clock goes back", async () => {
      const place = newPlace();
      const keeper = await open(place);
      await reserve(keeper, ours, { ...some(9), today: "2026-11-23" });
      const before = await reserve(await open(place), ours, some(2));

      expect(before).toMatchObject({ date: "2026-11-23", reserved: 9, granted: 0 });
      expect(await dayFrom(keeper, ours, "2026-01-01")).toMatchObject({ date: "2026-11-23", reserved: 9 });
      expect(await dayFrom(keeper, ours, "2026-11-24")).toMatchObject({ date: "2026-11-24", reserved: 0 });
      await reserve(keeper, ours, settling({ date: today, released: 1, charged: 1 }));
      expect(await keeper.latest(ours)).toMatchObject({ date: "2026-11-23", spent: 0, reserved: 9 });
    });

    it("are granted once, however many processes reserve at the same time", async () => {
      const place = newPlace();
      const keepers = await Promise.all(Array.from({ length: 8 }, () => open(place)));
      // From now on they are connected, and change the same day.
      await Promise.all(keepers.map((keeper) => reserve(keeper, ours, some())));
      const reserved = await Promise.all(keepers.map((keeper) => reserve(keeper, ours, some(3))));

      expect(reserved.filter(({ granted }) => granted === 1)).toHaveLength(3);
      expect(await keepers[0]?.latest(ours)).toMatchObject({ spent: 0, reserved: 9 });
    });
  });

  describe("whatever processes reserve, send, answer and are killed, on whatever days", () => {
    let opened: Promise<SpendingKeeper> | undefined;
    let count = 0;
    const play = async (steps: Story, change = (keeper: SpendingKeeper) => keeper) => {
      const keeper = change(await (opened ??= open()));
      await new World(keeper, (count++).toString(16).padStart(8, "0")).play(steps);
    };
    const property = (change?: (keeper: SpendingKeeper) => SpendingKeeper) =>
      fc.assert(
        fc.asyncProperty(story, (steps) => play(steps, change)),
        { numRuns: trials("STORIES", 40, 150), seed, endOnFailure: true },
      );

    it("no more than the limit is granted, and the record says what became of it", async () => {
      await expect(property()).resolves.toBeUndefined();
    });

    it("too much would be granted if the room was only looked at", async () => {
      await expect(property(onlyLooking)).rejects.toThrow("Property failed");
    });
  });
}
