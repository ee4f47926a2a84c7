import { Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { trials } from "../support/trials.ts";
import { liveKey, runSandbox, testKey } from "./running.ts";

const sends = trials("SENDS", 2_000, 10_000);
const inFlight = 32;
const credits = 100_000;

interface Receipt {
  readonly messageId: string;
  readonly to: string;
  readonly newBalance: number;
}

/** Every other send uses the live key, every third has two segments. */
function nth(index: number) {
  const isLive = index % 2 === 0;
  const segments = index % 3 === 0 ? 2 : 1;
  return {
    // None has a special ending.
    to: `+25471${1_110_000 + index}`,
    isLive,
    segments,
    message: segments === 1 ? "Hello" : "a".repeat(161),
  };
}

test(`${sends} sends, 32 at a time: none lost, none counted twice, every credit accounted for`, async () => {
  // A clock that never reaches the rate limit.
  let clock = Date.UTC(2030, 0, 1);
  const sandbox = await runSandbox({ credits, rate: 2000, now: () => (clock += 100) });
  const pool = new Pool(sandbox.url, { connections: inFlight });
  onTestFinished(() => pool.close());

  const all = Array.from({ length: sends }, (_, index) => nth(index));
  const receipts: Receipt[] = [];
  const remaining = all.values();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const { to, message, isLive } of remaining) {
        const { body, statusCode } = await pool.request({
          method: "POST",
          path: "/api/v1/sms/send",
          headers: { authorization: isLive ? liveKey : testKey, "content-type": "application/json" },
          body: JSON.stringify({ to, message }),
        });
        const receipt = (await body.json()) as Receipt;
        if (statusCode === 200) receipts.push(receipt);
      }
    }),
  );

  const { body } = await pool.request({ method: "GET", path: "/_sandbox/messages" });
  const kept = (await body.json()) as readonly Receipt[];
  const live = all.filter(({ isLive }) => isLive);
  const balances = receipts.map(({ newBalance }) => newBalance);
  expect(inOrder(kept.map(identity))).toEqual(inOrder(receipts.map(identity)));
  expect(inOrder(receipts.map(({ to }) => to))).toEqual(all.map(({ to }) => to));
  expect({
    ids: new Set(receipts.map(({ messageId }) => messageId)).size,
    // Each live send leaves a different balance.
    charges: new Set(balances.filter((balance) => balance < credits)).size,
    balance: Math.min(...balances),
  }).toEqual({
    ids: sends,
    charges: live.length,
    balance: credits - live.reduce((sum, { segments }) => sum + segments, 0),
  });
});

function identity({ messageId, to }: Receipt): string {
  return `${messageId} ${to}`;
}

function inOrder(texts: readonly string[]): readonly string[] {
  return texts.toSorted((a, b) => (a < b ? -1 : 1));
}
