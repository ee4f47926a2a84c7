// Planning as many rows as there are opt-outs, beside planning them without any.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { plan, subscriberOf, writeRecipients } from "./planning.js";
import { atMost } from "./table.js";

/** Yields the rows of time and peak memory: the fastest of a few rounds, in which both take their turn. */
export async function* measureGuards(desk, rounds) {
  const rows = rounds > 3 ? 1_000_000 : 100_000;
  const { formatList } = await import(pathToFileURL(await desk.bundle("../../src/guards/opt-out-list.ts")).href);
  const driver = await desk.bundle("planning-driver.ts");
  const file = join(desk.folder, "recipients.csv");
  await writeRecipients(file, rows, "+2547");
  mkdirSync(join(desk.folder, "optout"), { mode: 0o700 });
  // Every tenth has a row.
  const optOuts = Array.from({ length: rows }, (_, row) => ({
    to: `+2547${subscriberOf(row + 0.9 * rows)}`,
    at: "2026-01-31T08:00:00.000Z",
    reason: "STOP by reply",
  }));
  writeFileSync(join(desk.folder, "optout", "numbers"), formatList(optOuts), { mode: 0o600 });
  const without = [];
  const guarded = [];
  for (let round = 0; round < 3; round++) {
    without.push(plan(driver, rows, "plan", file));
    guarded.push(plan(driver, rows, "plan", file, desk.folder));
  }
  const [time, peak] = ["seconds", "megabytes"].map((what) => ({
    ours: Math.min(...guarded.map((round) => round[what])),
    theirs: Math.min(...without.map((round) => round[what])),
  }));
  yield {
    name: "planning with opt-outs / without",
    ours: `${time.ours.toFixed(2)} s`,
    theirs: `${time.theirs.toFixed(2)} s`,
    ratio: time.ours / time.theirs,
    bound: atMost(1.2),
  };
  yield {
    name: "  its peak memory / 64 MiB more",
    ours: `${peak.ours.toFixed(0)} MiB`,
    theirs: `${(peak.theirs + 64).toFixed(0)} MiB`,
    ratio: peak.ours / (peak.theirs + 64),
    bound: atMost(1),
  };
  yield { note: `${rows.toLocaleString("en")} rows and as many opt-outs, the fastest of three rounds.` };
}
