// A million lines through sms watch, beside the limits for it.
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sendingTo } from "./commands.js";
import { canMeasureMemory, inTurn, median, spending } from "./figures.js";
import { limited } from "./table.js";

const count = 1_000_000;
const limits = { seconds: 20, mebibytes: 200 };

const files = {
  "one kind": (index) =>
    `2026-11-22T14:02:03.${index % 1000}Z ERROR billing[${index % 900}] payment ${index} of ${hex(index)} failed after ${index % 5000} ms`,
  "a million kinds": (index) => `ERROR no route for ${words(index)}`,
  "lines of 1,000 characters": (index) => `ERROR ${"abcdef0123 ".repeat(90)}${index}`,
};

export async function* measureWatch(desk, rounds, rows = count) {
  if (!canMeasureMemory) {
    yield { note: "Skipped: it takes Linux, bash and GNU time in /usr/bin." };
    return;
  }
  for (const [name, line] of Object.entries(files)) {
    const path = write(desk, line, rows);
    const env = sendingTo(desk, "http://127.0.0.1:9");
    const watch = `exec "${process.execPath}" "${desk.program}" watch --dry-run --to +254712345678 <"${path}"`;
    const commands = { watch: { program: "sh", args: ["-c", watch], env, says: rows === count ? /999,999/ : /./ } };
    const { watch: spent } = await inTurn(Math.min(rounds, 5), commands, spending);
    const seconds = median(spent.map(({ wall }) => wall)) / 1000;
    const mebibytes = Math.max(...spent.map((round) => round.mebibytes));
    yield limited(name, seconds, limits.seconds, (value) => `${value.toFixed(1)} s`);
    yield limited("  peak memory", mebibytes, limits.mebibytes, (value) => `${value.toFixed(0)} MiB`);
  }
}

function write(desk, line, rows) {
  const path = join(desk.folder, "lines.log");
  const file = openSync(path, "w");
  for (let from = 0; from < rows; from += 1_000) {
    writeSync(file, Array.from({ length: Math.min(rows, 1_000) }, (_, index) => `${line(from + index)}\n`).join(""));
  }
  closeSync(file);
  return path;
}

function hex(index) {
  return (index * 2_654_435_761).toString(16).padStart(12, "0");
}

/** Words that no two of a million numbers share. */
function words(index) {
  return String(index).replace(/\d/g, (digit) => `${"bcdfghjklm"[digit]}o`);
}
