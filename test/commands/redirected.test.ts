import * as fc from "fast-check";
import { expect, it } from "vitest";
import { countSegments } from "../../src/message/segments.ts";
import { redirected } from "../../src/sending/run/rehearsal.ts";
import type { DraftMessage } from "../../src/record/plan.ts";
import { texts } from "../message/texts.ts";

const staff = "+254700000000";

function row(line: number, text = "Hi"): DraftMessage {
  return { line, to: `+25471234567${line}`, text, segments: countSegments(text).segments };
}

async function rehearse(rows: Iterable<DraftMessage>, gsm7 = false) {
  const count = { sent: 0, all: 0 };
  const sent: DraftMessage[] = [];
  for await (const message of redirected(iterate(rows), staff, gsm7, count)) sent.push(message);
  return { sent, count };
}

async function* iterate<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  yield* items;
}

it("writes the name of the recipient in GSM-7 if that is asked for", async () => {
  const { sent } = await rehearse([row(1)], true);
  expect(sent).toMatchObject([{ text: "[for ...671] Hi" }]);
});

it("passes over what the run itself would not send", async () => {
  const { sent, count } = await rehearse([{ ...row(1), hold: { reason: "opted out" } }, row(2)]);
  expect(sent).toMatchObject([{ line: 2 }]);
  expect(count).toMatchObject({ sent: 1, all: 1 });
});

it("refuses a text that is too long with the name of its recipient", async () => {
  await expect(rehearse([row(1, "a".repeat(1595))])).rejects.toMatchObject({ errorCode: "MESSAGE_TOO_LONG" });
});

it("never keeps a real recipient, and counts each text anew", async () => {
  const rows = fc.array(texts.filter((text) => text.trim() !== "" && text.length < 1000 && !text.includes("\0")));
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (all, gsm7) => {
      const { sent } = await rehearse(
        all.filter((text) => text.isWellFormed()).map((text, index) => row((index % 9) + 1, text)),
        gsm7,
      );
      expect(sent.length).toBeLessThanOrEqual(3);
      for (const { to, text, segments } of sent) {
        expect(to).toBe(staff);
        expect(segments).toBe(countSegments(text).segments);
      }
    }),
    { numRuns: 50 },
  );
});
