import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { latestEntries } from "../../src/record/history.ts";
import { readSpend } from "../../src/reports/spend.ts";
import { openAt } from "./place.ts";
import { temporaryFolder } from "../support/folders.ts";

const count = 20_000;
const from = Date.parse("2026-11-01T00:00:00Z");
const to = Date.parse("2026-12-01T00:00:00Z");

// `npm run bench -- history` measures time and memory of 100,000.
it("of 20,000 lines is listed and summed, whole and in order", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "history"), { mode: 0o700 });
  const common = {
    kind: "send",
    run: null,
    account: "a",
    key: "prod",
    profile: "default",
    mode: "live",
    sender: "ACME",
  } as const;
  const charge = { outcome: "accepted", segments: 1, totalCredits: 1, totalCostKes: 0.8 } as const;
  const lines = Array.from({ length: count }, (_, index) => {
    const at = new Date(from + index * 125_000).toISOString();
    const id = `msg_${String(index).padStart(6, "0")}`;
    return `\n${JSON.stringify({ at, ...common, to: "+254712345678", ...charge, messageId: id, newBalance: count - index })}\n`;
  });
  writeFileSync(join(folder, "history", "2026-11.ndjson"), lines.join(""), { mode: 0o600 });
  const shares: number[] = [];
  const onShare = (share: number) => shares.push(share);
  const history = await openAt(folder).history();
  const query = { period: { from, to }, division: "day", profile: undefined, currentName: String } as const;
  const { messages, credits, kes, unread } = await readSpend(history, query, onShare);
  expect({ messages, credits, kes, unread }).toEqual({
    messages: count,
    credits: count,
    kes: 16_000,
    unread: { broken: 0, runs: [] },
  });
  const listing = await latestEntries(history, { since: 0, limit: Infinity }, onShare);
  // Read twice, piece by piece.
  expect(shares.length).toBeGreaterThan(10);
  expect(shares.filter((share) => share === 1)).toHaveLength(2);
  const ids = listing.entries.map(({ messageId }) => messageId ?? "");
  expect([ids.length, new Set(ids).size, ids[0], ids.at(-1)]).toEqual([count, count, "msg_019999", "msg_000000"]);
  expect(ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? ""))).toBe(true);
});
