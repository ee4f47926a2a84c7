import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dailyLimit } from "../../src/guards/daily-limit.ts";
import { readZone } from "../../src/guards/hours.ts";
import type { MessageCredits, Reservations } from "../../src/guards/guard.ts";
import type { Outcome } from "../../src/message/outcome.ts";
import { cutOffOutcome } from "../../src/record/journal-entry.ts";
import type { Booking, SpendingKeeper, SpentDay } from "../../src/record/spending.ts";
import { seed } from "../support/seed.ts";
import { trials } from "../support/trials.ts";
import { type Keeper, openAt } from "./place.ts";
import { reserve } from "./samples.ts";

const ours = "a1b2c3d4";
const hour = 3_600_000;
const noon = Date.parse("2026-11-22T12:00:00Z");

/** Reserves what there seems to be room for, and records nothing. */
function onlyLooking(keeper: SpendingKeeper): SpendingKeeper {
  return { ...keeper, change: async ({ account, next }) => void next(await keeper.latest(account), keeper.now()) };
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
  }),
  fc.record({ kind: fc.constant("answer" as const), process, ending, isLatest: fc.boolean() }),
  fc.record({ kind: fc.constant("kill" as const), process }),
  fc.record({ kind: fc.constant("end" as const), process }),
  fc.record({ kind: fc.constant("clock" as const), hours: fc.nat(30) }),
  fc.record({ kind: fc.constant("limit" as const), credits: fc.nat(20) }),
);
const story = fc.array(step, { minLength: 5, maxLength: 40 });
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** A command that sends. What it has settled is on record with its next reservation, or when it ends. */
interface Sender {
  readonly reservations: Reservations;
  open: MessageCredits[];
  settled: { readonly message: MessageCredits; readonly charged: number }[];
}

/** An account, and what its credits really became. */
class World {
  readonly #senders: Sender[] = [];
  readonly #keeper: SpendingKeeper;
  readonly #account: string;
  #limit = 10;
  #now = noon;
  /** By the end of the day: what the service charged, how much of that no estimate foresaw, and what the record must say. */
  readonly #days = new Map<number, { charged: number; excess: number; spent: number; reserved: number }>();

  constructor(keeper: SpendingKeeper, account: string) {
    const next = (booking: Booking): Booking => ({ ...booking, next: (latest) => booking.next(latest, this.#now) });
    this.#keeper = { ...keeper, now: () => this.#now, change: (booking) => keeper.change(next(booking)) };
    this.#account = account;
    for (let index = 0; index < 3; index++) this.#senders.push(this.#newSender());
  }

  async play(steps: Story): Promise<void> {
    for (const each of steps) await this.#do(each);
    for (const sender of this.#senders) await this.#end(sender);
  }

  async #do(each: Story[number]): Promise<void> {
    if (each.kind === "clock") this.#now += each.hours * hour;
    else if (each.kind === "limit") this.#limit = each.credits;
    else {
      const sender = this.#senders[each.process];
      if (sender === undefined) return;
      if (each.kind === "reserve") await this.#reserve(sender, each.segments);
      else if (each.kind === "answer")
        this.#answer(sender, each.isLatest ? sender.open.pop() : sender.open.shift(), each.ending);
      else if (each.kind === "end") await this.#end(sender);
      else this.#kill(sender);
    }
  }

  #newSender(): Sender {
    const setting = () => ({ credits: this.#limit, source: "test", zone: readZone("UTC", ""), raise: () => "" });
    const reservations = dailyLimit({ keeper: this.#keeper, account: this.#account, setting }).reservations?.();
    if (reservations === undefined) throw new Error("a day's limit reserves");
    return { reservations, open: [], settled: [] };
  }

  #dayOf(endsAt: number) {
    const day = this.#days.get(endsAt) ?? { charged: 0, excess: 0, spent: 0, reserved: 0 };
    this.#days.set(endsAt, day);
    return day;
  }

  async #reserve(sender: Sender, segments: readonly number[]): Promise<void> {
    const reservation = sender.reservations.reserve(segments);
    await sender.reservations.book(reservation);
    this.#write(sender);
    const { credits, barrier } = reservation.admission();
    requireThat("a barrier for what is not granted", (barrier === undefined) === (credits.length === segments.length));
    const latest = await this.#latest();
    const day = this.#dayOf(latest.endsAt);
    for (const message of credits) {
      requireThat("credits of the day on record", message.endsAt === latest.endsAt);
      day.reserved += message.credits;
    }
    sender.open.push(...credits);
    const isWithin = day.spent + day.reserved <= this.#limit + tiny;
    requireThat("no grant over the limit", credits.length === 0 || isWithin);
    await this.#check();
  }

  #answer(
    sender: Sender,
    message: MessageCredits | undefined,
    { kind, credits = 0 }: { readonly kind: string; readonly credits?: number },
  ): void {
    if (message === undefined) return;
    if (kind === "lost") {
      this.#charge(message, message.credits);
      sender.reservations.spend(message, cutOffOutcome);
    } else {
      const isAccepted = kind === "accepted";
      if (isAccepted) this.#charge(message, credits);
      sender.settled.push({ message, charged: isAccepted ? credits : 0 });
      sender.reservations.spend(message, isAccepted ? receiptOf(credits) : undefined);
    }
  }

  #charge({ endsAt, credits: estimate }: MessageCredits, credits: number): void {
    const day = this.#dayOf(endsAt);
    day.charged += credits;
    day.excess += Math.max(0, credits - estimate);
  }

  /** What is settled is on record, if its day is. */
  #write(sender: Sender): void {
    for (const { message, charged } of sender.settled) {
      const day = this.#dayOf(message.endsAt);
      day.reserved -= message.credits;
      day.spent += charged;
    }
    sender.settled = [];
  }

  async #end(sender: Sender): Promise<void> {
    for (const message of sender.open) sender.reservations.spend(message, undefined);
    sender.settled.push(...sender.open.map((message) => ({ message, charged: 0 })));
    const rest = sender.reservations.bookRest();
    if (rest !== undefined) await sender.reservations.book(rest);
    this.#write(sender);
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

  async #latest(): Promise<SpentDay> {
    const nothing = { endsAt: 0, spent: 0, reserved: 0, creditsPerSegment: 1 };
    return (await this.#keeper.latest(this.#account)) ?? nothing;
  }

  async #check(): Promise<void> {
    const { endsAt, spent, reserved } = await this.#latest();
    const day = this.#dayOf(endsAt);
    requireThat("what receipts say as spent", Math.abs(spent - day.spent) < tiny);
    requireThat("all that is open, lost or cut off as reserved", Math.abs(reserved - day.reserved) < tiny);
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
  const open = (place = newPlace()) => openAt(place).spending();

  describe("the credits of a day", () => {
    it("are on record for all who open the record", async () => {
      const place = newPlace();
      await reserve(await open(place), ours, 8);

      const keeper = await open(place);
      expect(await keeper.latest(ours)).toMatchObject({ spent: 0, reserved: 8 });
      expect(await keeper.latest("0000")).toBeUndefined();
      expect(await reserve(keeper, ours, 3)).toMatchObject({ granted: 0, reserved: 8 });
    });

    it("are granted once, however many processes reserve at the same time", async () => {
      const place = newPlace();
      const keepers = await Promise.all(Array.from({ length: 8 }, () => open(place)));
      // From now on they are connected, and change the same day.
      await Promise.all(keepers.map((keeper) => reserve(keeper, ours, 0)));
      const change = (keeper: SpendingKeeper, index: number) => reserve(keeper, ours, 2.5 + index / 64);
      const reserved = await Promise.all(keepers.map(change));

      expect(reserved.filter(({ granted }) => granted === 1)).toHaveLength(3);
      const most = Math.max(...reserved.map(({ reserved: credits = 0 }) => credits));
      expect(await keepers[0]?.latest(ours)).toMatchObject({ spent: 0, reserved: most });
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
