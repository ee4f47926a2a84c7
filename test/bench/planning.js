// Reading and checking a CSV of a million rows, beside csv-parse alone.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { atMost } from "./table.js";

/** How people write numbers of Kenya, up to the subscriber's. */
const forms = ["+2547", "07", "2547"];
const memoryLimit = 250;

/** Yields the rows of time and peak memory; one round each, of as many rows as a run may well have. */
export async function* measurePlanning(desk, rounds) {
  const rows = rounds > 3 ? 1_000_000 : 100_000;
  const driver = await desk.bundle("planning-driver.ts");
  const file = join(desk.folder, "recipients.csv");
  for (const form of forms) {
    await writeRecipients(file, rows, form);
    // Each in a process of its own, since peak memory is the process's.
    const [alone, ours] = ["parse", "plan"].map((mode) => plan(driver, rows, mode, file));
    yield {
      name: `planning numbers as ${form}12345678 / csv-parse`,
      ours: `${ours.seconds.toFixed(2)} s`,
      theirs: `${alone.seconds.toFixed(2)} s`,
      ratio: ours.seconds / alone.seconds,
      bound: atMost(8),
    };
    yield {
      name: `  its peak memory / ${memoryLimit} MiB`,
      ours: `${ours.megabytes.toFixed(0)} MiB`,
      theirs: `${memoryLimit} MiB`,
      ratio: ours.megabytes / memoryLimit,
      bound: atMost(1),
    };
  }
  yield { note: `${rows.toLocaleString("en")} rows of four columns, one round.` };
}

/** Runs the driver, which takes so many rows. */
function plan(driver, rows, ...args) {
  const found = JSON.parse(execFileSync(process.execPath, [driver, ...args], { encoding: "utf8" }));
  if (found.rows !== rows) throw new Error(`${args[0]} took ${found.rows} of ${rows} rows`);
  return found;
}

/** Distinct Kenyan mobile numbers in no order, and a value that needs its quotes. */
async function writeRecipients(file, rows, form) {
  const out = createWriteStream(file);
  out.write("to,name,due,note\n");
  for (let row = 0; row < rows; row++) {
    const text = `${form}${10_000_000 + ((row * 7919) % 89_999_999)},Customer ${row},${row % 9000}.50,"Invoice, no ${row}"\n`;
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}
