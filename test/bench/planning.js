// Reading and checking a CSV of a million rows, as it is bundled, beside csv-parse alone: node test/bench/planning.js [rows]
import { execFileSync } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** How people write numbers of Kenya, up to the subscriber's. */
const forms = ["+2547", "07", "2547"];

const [mode = "compare", ...rest] = process.argv.slice(2);
if (mode === "parse") await measure(() => parseAlone(rest[0]));
else if (mode === "plan") await measure(() => plan(rest[0], rest[1]));
else await compare(Number(mode) || 1_000_000);

async function compare(rows) {
  const folder = mkdtempSync(join(tmpdir(), "planning-"));
  try {
    const { build } = await import("rolldown");
    await build({
      input: ["src/core/template.ts", "src/recipients/read.ts", "src/recipients/check.ts"],
      platform: "node",
      logLevel: "warn",
      output: { dir: folder, format: "esm", minify: true, entryFileNames: "[name].mjs" },
    });
    for (const form of forms) {
      const file = join(folder, "recipients.csv");
      await writeRecipients(file, rows, form);
      process.stdout.write(`numbers as ${form}12345678\n`);
      const alone = run("parse", file);
      const ours = run("plan", file, folder);
      const times = (ours.seconds / alone.seconds).toFixed(2);
      process.stdout.write(`  csv-parse alone       ${line(alone)}\n`);
      process.stdout.write(`  reading and checking  ${line(ours)}  ${times} times\n`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each in a process of its own, since peak memory is the process's. */
function run(...args) {
  return JSON.parse(execFileSync(process.execPath, [import.meta.filename, ...args], { encoding: "utf8" }));
}

function line({ rows, seconds, megabytes }) {
  return `${rows} rows  ${seconds.toFixed(2)} s  ${megabytes.toFixed(0)} MB at most`;
}

async function measure(work) {
  const start = performance.now();
  const rows = await work();
  const seconds = (performance.now() - start) / 1000;
  const megabytes = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ rows, seconds, megabytes }));
}

async function parseAlone(file) {
  const { parse } = await import("csv-parse");
  let rows = 0;
  for await (const row of createReadStream(file).pipe(parse({ columns: true }))) if (row.to) rows++;
  return rows;
}

async function plan(file, folder) {
  const load = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href);
  const { parseTemplate } = await load("template");
  const { readRecipients } = await load("read");
  const { recipientCheck } = await load("check");
  const check = recipientCheck({
    country: "KE",
    template: parseTemplate("Hi {{name}}, you owe KES {{due}} for {{note|it}}"),
  });
  let rows = 0;
  for await (const row of readRecipients({ name: file, chunks: createReadStream(file) })) {
    if (check(row).kind === "recipient") rows++;
  }
  return rows;
}

/** Distinct Kenyan mobile numbers in no order, and a value that needs its quotes. */
async function writeRecipients(file, rows, form) {
  const out = createWriteStream(file);
  out.write("to,name,due,note\n");
  for (let row = 0; row < rows; row++) {
    const subscriber = String(10_000_000 + ((row * 7919) % 89_999_999)).padStart(8, "0");
    const text = `${form}${subscriber},Customer ${row},${row % 9000}.50,"Invoice, no ${row}"\n`;
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}
