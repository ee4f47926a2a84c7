import { describe, expect, it } from "vitest";
import type { SpendingKeeper, Settlement } from "../../src/record/account.ts";
import type { Keeper } from "./keeper.ts";
import { trials } from "../support/trials.ts";
import { openAt } from "./place.ts";

const ours = "a1b2c3d4";
const today = "2026-11-22";
const all = { holder: "a", today, limit: 10 };
const messages = (...segments: readonly number[]) => segments.map((count, index) => ({ index, segments: count }));
const charged = (index: number, credits?: number): Settlement => ({ kind: "charged", index, credits });

/** What a service makes of a message: it charges for one that it accepts, also if its answer is lost. */
const answers = ["accept", "reject", "lose"] as const;

/** One process that sends one message, which takes four steps. */
interface Sender {
  readonly holder: string;
  readonly keeper: SpendingKeeper;
  readonly answer: (typeof answers)[number];
  steps: number;
  isGranted: boolean;
}

/** Returns all orders of so many steps of two processes. */
function ordersOf(first: number, second: number): readonly string[] {
  if (first === 0 || second === 0) return ["A".repeat(first) + "B".repeat(second)];
  const begun = (name: string, orders: readonly string[]) => orders.map((order) => name + order);
  return [...begun("A", ordersOf(first - 1, second)), ...begun("B", ordersOf(first, second - 1))];
}

/** Looks whether there is room, and reserves nothing. */
async function onlyLook(keeper: SpendingKeeper, account: string): Promise<boolean> {
  const { spent, reserved } = await keeper.day(account, today);
  return spent + reserved < 1;
}

async function reserveOne(keeper: SpendingKeeper, account: string, holder: string): Promise<boolean> {
  return (await keeper.reserve(account, { holder, today, limit: 1, messages: messages(1) })).granted === 1;
}

/** The orders of two processes, each killed after any step. */
const orders = [0, 1, 2, 3, 4].flatMap((one) => [2, 3, 4].flatMap((other) => ordersOf(one, other)));
/** Of how many orders one is tried. */
const every = trials("EVERY_ORDER", 10, 1);

/** Lets two processes send with a limit of one credit in many orders. Returns the highest charge. */
async function highestCharge(newPlace: () => string, reserve: typeof reserveOne): Promise<number> {
  let highest = 0;
  const place = newPlace();
  for (const [count, order] of orders.entries()) {
    if (count % every !== 0 || highest > 1) continue;
    highest = Math.max(
      highest,
      await chargeOf(place, count.toString(16), order, [count % 3, Math.floor(count / 3) % 3], reserve),
    );
  }
  return highest;
}

async function chargeOf(
  place: string,
  account: string,
  order: string,
  picks: readonly number[],
  reserve: typeof reserveOne,
): Promise<number> {
  let charge = 0;
  const open = async (holder: string, pick = 0): Promise<Sender> => {
    const keeper = await (await openAt(place).account()).spending();
    return { holder, keeper, answer: answers[pick] ?? "accept", steps: 0, isGranted: false };
  };
  const step = async (sender: Sender) => {
    const { holder, keeper, answer } = sender;
    sender.steps++;
    if (sender.steps === 1) sender.isGranted = await reserve(keeper, account, holder);
    if (!sender.isGranted) return;
    if (sender.steps === 2 && answer !== "reject") charge++;
    if (sender.steps < 4) return;
    const kind = ({ reject: "given-back", lose: "kept" } as const)[answer === "accept" ? "lose" : answer];
    const settlement = answer === "accept" ? charged(0, 1) : { kind, index: 0 };
    await keeper.settle(account, { holder, date: today }, [settlement]);
  };
  const senders = { A: await open("a", picks[0]), B: await open("b", picks[1]) };
  for (const name of order) await step(name === "A" ? senders.A : senders.B);
  for (const { holder, steps } of Object.values(senders)) {
    // Another process goes on with what was begun. A request may have been sent as soon as its intent is recorded.
    const again = await open(holder);
    const left = await again.keeper.reservedBy(account, holder, today);
    const kind = steps < 2 ? "given-back" : "kept";
    const settlements = left.map((index) => ({ kind, index }) as const);
    await again.keeper.settle(account, { holder, date: today }, settlements);
    if (steps < 2) for (let count = 0; count < 4; count++) await step(again);
  }
  return charge;
}

/** What every keeper of accounts does. */
export function accountSuite({ newPlace }: Keeper): void {
  const open = async (place = newPlace()) => (await openAt(place).account()).spending();

  describe("the credits of a day", () => {
    it("are reserved for the messages that fit, from the first on", async () => {
      const keeper = await open();
      const found = await keeper.reserve(ours, { ...all, messages: messages(4, 5, 2, 1) });
      expect(found).toEqual({ date: today, spent: 0, reserved: 9, creditsPerSegment: 1, granted: 2 });
      expect(await keeper.reservedBy(ours, "a", today)).toEqual([0, 1]);
      expect((await keeper.reserve(ours, { ...all, holder: "b", messages: messages(1, 1) })).granted).toBe(1);
      expect((await keeper.reserve("0000", { ...all, messages: messages(10) })).granted).toBe(1);
    });

    it("are spent as the receipt says, kept for what is uncertain, and given back for what was not sent", async () => {
      const place = newPlace();
      const keeper = await open(place);
      await keeper.reserve(ours, { ...all, messages: messages(2, 2, 2, 2) });
      await keeper.settle(ours, { holder: "a", date: today }, [charged(0, 3), charged(1)]);
      await keeper.settle(ours, { holder: "a", date: today }, [
        { kind: "kept", index: 2 },
        { kind: "given-back", index: 3 },
      ]);
      const expected = { date: today, spent: 5, reserved: 2, creditsPerSegment: 1.5 };
      expect(await keeper.day(ours, today)).toEqual(expected);
      // Nothing is settled twice, and a holder has what it reserved alone.
      await keeper.settle(ours, { holder: "a", date: today }, [charged(0, 3), { kind: "given-back", index: 2 }]);
      expect(await (await open(place)).day(ours, today)).toEqual(expected);
    });

    it("are estimated by the highest charge for a segment, on the next days too", async () => {
      const keeper = await open();
      await keeper.reserve(ours, { ...all, messages: messages(1) });
      await keeper.settle(ours, { holder: "a", date: today }, [charged(0, 4)]);
      expect((await keeper.reserve(ours, { ...all, messages: messages(2) })).granted).toBe(0);
      const tomorrow = await keeper.reserve(ours, { ...all, today: "2026-11-23", messages: messages(2) });
      expect(tomorrow).toEqual({ date: "2026-11-23", spent: 0, reserved: 8, creditsPerSegment: 4, granted: 1 });
    });

    it("are those of the latest day on record when the clock goes back", async () => {
      const place = newPlace();
      const keeper = await open(place);
      await keeper.reserve(ours, { ...all, today: "2026-11-23", messages: messages(9) });
      const before = await (await open(place)).reserve(ours, { ...all, holder: "b", messages: messages(2) });
      expect(before).toMatchObject({ date: "2026-11-23", reserved: 9, granted: 0 });
      expect(await keeper.day(ours, "2026-01-01")).toMatchObject({ date: "2026-11-23", reserved: 9 });
      expect(await keeper.day(ours, "2026-11-24")).toMatchObject({ date: "2026-11-24", reserved: 0 });
      await keeper.settle(ours, { holder: "a", date: today }, [charged(0, 1)]);
      expect(await keeper.day(ours, "2026-11-23")).toMatchObject({ spent: 0, reserved: 9 });
    });

    it("are never charged twice, in whatever order two processes send and are killed", async () => {
      expect(await highestCharge(newPlace, reserveOne)).toBe(1);
    });

    it("would be found charged twice without reservations", async () => {
      expect(await highestCharge(newPlace, onlyLook)).toBe(2);
    });
  });
}
