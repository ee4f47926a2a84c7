// Reading and checking a CSV of a million rows, beside csv-parse alone, and workbooks beside the same rows as CSV.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { atMost, limited } from "./table.js";

/** How people write numbers of Kenya, up to the subscriber's. */
const forms = ["+2547", "07", "2547"];
const memoryLimit = 250;
const workbookRows = 100_000;
const workbookMemoryLimit = 300;

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
    yield peakMemory(ours, memoryLimit);
  }
  yield* measureWorkbooks(desk, driver, file);
  yield {
    note: `${rows.toLocaleString("en")} rows of four columns, one round; workbooks have ${workbookRows.toLocaleString("en")}.`,
  };
}

/** Yields the rows of workbooks: at most twice the time of the same rows as CSV, and what unpacking takes. */
async function* measureWorkbooks(desk, driver, file) {
  const { rowOf, xlsxOf } = await import(pathToFileURL(await desk.bundle("../recipients/workbooks.ts")).href);
  await writeRecipients(file, workbookRows, "2547");
  const csv = plan(driver, workbookRows, "plan", file);
  const rows = Array.from({ length: workbookRows }, (_, row) => cellsOf(row, "2547"));
  const sheet = [columns, ...rows].map((cells, index) => rowOf(index + 1, ...cells)).join("");
  for (const [kind, bytes, content] of [["xlsx", xlsxOf([{ rows: sheet }]), sheet]]) {
    const path = join(desk.folder, `recipients.${kind}`);
    writeFileSync(path, bytes);
    const packed = deflateRawSync(content);
    const began = performance.now();
    inflateRawSync(packed);
    const bound = 2 * csv.seconds + (performance.now() - began) / 1000;
    const ours = plan(driver, workbookRows, "plan", path);
    yield {
      name: `planning an .${kind} / twice its CSV, and unzipping`,
      ours: `${ours.seconds.toFixed(2)} s`,
      theirs: `${bound.toFixed(2)} s`,
      ratio: ours.seconds / bound,
      bound: atMost(1),
    };
    yield peakMemory(ours, workbookMemoryLimit);
  }
}

function peakMemory({ megabytes }, limit) {
  return limited(`  its peak memory / ${limit} MiB`, megabytes, limit, (value) => `${value.toFixed(0)} MiB`);
}

/** Runs the driver, which takes so many rows. */
function plan(driver, rows, ...args) {
  const found = JSON.parse(execFileSync(process.execPath, [driver, ...args], { encoding: "utf8" }));
  if (found.rows !== rows) throw new Error(`${args[0]} took ${found.rows} of ${rows} rows`);
  return found;
}

const columns = ["to", "name", "due", "note"];

/** A distinct Kenyan mobile number, in no order, and a value that needs its quotes. */
function cellsOf(row, form) {
  const number = 10_000_000 + ((row * 7919) % 89_999_999);
  return [`${form}${number}`, `Customer ${row}`, `${row % 9000}.50`, `Invoice, no ${row}`];
}

async function writeRecipients(file, rows, form) {
  const out = createWriteStream(file);
  out.write(`${columns.join()}\n`);
  for (let row = 0; row < rows; row++) {
    const [to, name, due, note] = cellsOf(row, form);
    if (!out.write(`${to},${name},${due},"${note}"\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}
