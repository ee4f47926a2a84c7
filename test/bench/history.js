// Listing and summing a history of 100,000 lines, beside the limits for it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sms } from "./commands.js";
import { canMeasureMemory, inTurn, median, peakMemory } from "./figures.js";
import { limited } from "./table.js";

const count = 100_000;
const limits = { milliseconds: 1000, mebibytes: 150 };

/** Yields the rows of `sms history --json` and `sms spend`, over one month and over a year. */
export async function* measureHistory(desk, rounds) {
  const commands = {};
  for (const months of [1, 12]) {
    const state = writeHistory(desk, months);
    const within = (args, says) => {
      const { env, ...command } = sms(desk, args, says);
      return { ...command, env: { ...env, SMS_STATE_DIR: state } };
    };
    const over = months === 1 ? "one month" : `${months} months`;
    commands[`history --json, ${over}`] = within(["history", "--json"], /"messageId":"msg_0"/);
    commands[`spend --by day, ${over}`] = within(["spend", "--by", "day", "--month", "2026-01"], /January 2026/);
  }
  for (const [name, times] of Object.entries(await inTurn(rounds, commands))) {
    yield limited(name, median(times), limits.milliseconds, inUnits("ms"));
  }
  if (!canMeasureMemory) {
    yield { note: "Memory is left out: it takes Linux and GNU time in /usr/bin." };
    return;
  }
  for (const [name, peaks] of Object.entries(await inTurn(rounds, commands, peakMemory))) {
    yield limited(`  peak memory of ${name}`, median(peaks), limits.mebibytes, inUnits("MiB"));
  }
  yield { note: `${count.toLocaleString("en")} lines.` };
}

function inUnits(unit) {
  return (value) => `${value.toFixed(0)} ${unit}`;
}

/** Writes the history of a year's first months, and returns its state folder. */
function writeHistory(desk, months) {
  const state = join(desk.folder, `state-${months}`);
  mkdirSync(join(state, "history"), { recursive: true, mode: 0o700 });
  const first = Date.UTC(2026, 0);
  const step = (Date.UTC(2026, months) - first) / count;
  const files = new Map();
  for (let index = 0; index < count; index++) {
    const at = new Date(first + Math.floor(index * step)).toISOString();
    const entry = {
      at,
      kind: "send",
      run: null,
      account: "a1b2c3d4",
      key: "prod",
      mode: "live",
      to: `+2547${String(index).padStart(8, "0")}`,
      sender: "ACME",
      outcome: "accepted",
      messageId: `msg_${index}`,
      segments: 1,
      totalCredits: 1,
      totalCostKes: 0.8,
      newBalance: 1_000_000 - index,
    };
    const month = at.slice(0, 7);
    if (!files.has(month)) files.set(month, []);
    files.get(month).push(`\n${JSON.stringify(entry)}\n`);
  }
  for (const [month, lines] of files) {
    writeFileSync(join(state, "history", `${month}.ndjson`), lines.join(""), { mode: 0o600 });
  }
  return state;
}
