// Uses a record as a program of its own: node child.mjs PLACE once KEY PAUSE TEXT|opt-outs|history ARGS
import { setTimeout } from "node:timers/promises";
import { openAt } from "./place.ts";
import { accepted, entryAt, useOf } from "./samples.ts";

const [place = "", what = "", first = "", count = "Infinity", text] = process.argv.slice(2);
const record = openAt(place);
const say = (line: string) => process.stdout.write(`${line}\n`);
const each = async (work: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < Number(count); index++) await work(index);
};

/** Claims a key, then waits for a line of its parent before each of the steps after it. */
async function sendOnce(key: string, pause: number | undefined): Promise<void> {
  const lines = process.stdin[Symbol.asyncIterator]();
  const once = await record.once();
  const claimed = await once.claim({ text: key, isInProcess: false, pauseMs: pause }, useOf(text), 10_000);
  if (claimed.kind === "used") {
    const { outcome } = claimed;
    return void say(outcome.kind === "accepted" ? outcome.receipt.messageId : outcome.kind);
  }
  say("claimed");
  await lines.next();
  await claimed.intend();
  say("intended");
  await lines.next();
  await claimed.settle(accepted(`of ${process.pid}`));
  say(`of ${process.pid}`);
  await claimed.release();
}

if (what === "once") {
  await sendOnce(first, count === "Infinity" ? undefined : Number(count));
  process.exit();
} else if (what === "opt-outs") {
  const optOuts = await record.optOuts();
  await each(async (index) => {
    const number = `+${Number(first) + index}`;
    await optOuts.add([{ to: number, at: "2026-01-31T08:00:00.000Z" }]);
    say(number);
  });
} else {
  const history = await record.history();
  await each(async (index) => {
    const number = `+2547${String(Number(first) + index).padStart(8, "0")}`;
    await history.append(entryAt(index, number, "é".repeat(2000)));
    say(number);
    // Others want to read it as well.
    await setTimeout(1);
  });
}
say("done");
