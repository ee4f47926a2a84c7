// What grows with its rows: one command a row, at sizes of which each is ten times the one before.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { send, sms } from "./commands.js";
import { canMeasureMemory, spending } from "./figures.js";
import { atMost, limited } from "./table.js";

const sizes = [1_000, 10_000, 100_000, 1_000_000];
/** Ten times the rows may take so many times the time. */
const linear = 11;
const text = "Hi {{name}}, you owe KES {{due}}";

/** The commands, what they work on, and the most memory of the largest size in MiB. */
const commands = {
  "send -r LIST.csv --dry-run": { of: planOf, mebibytes: 300 },
  "the same, and all had the text": { of: repeatedPlanOf, mebibytes: 400 },
  "send -r LIST.xlsx --dry-run": { of: workbookOf, mebibytes: 300, most: 100_000 },
  "clean LIST.csv": { of: cleaningOf, mebibytes: 300 },
  "history --limit 5": { of: (desk, count) => behind(desk, count, ["history", "--limit", "5"]), mebibytes: 150 },
  "history --json": { of: (desk, count) => behind(desk, count, ["history", "--json"]), mebibytes: 150 },
  spend: { of: (desk, count) => behind(desk, count, ["spend"]), mebibytes: 150 },
  "spend, in runs of 20 that it has summed": { of: spendOfRuns, mebibytes: 150, most: 100_000 },
  "watch --at-most 6/h, one line": { of: watchBehind, mebibytes: 150 },
};

export async function* measureGrowth(desk, rounds, rows = rounds > 3 ? 1_000_000 : 10_000) {
  if (!canMeasureMemory) {
    yield { note: "Skipped: it takes Linux, bash and GNU time in /usr/bin." };
    return;
  }
  for (const [name, { of, mebibytes, most = sizes.at(-1) }] of Object.entries(commands)) {
    const measured = sizes.filter((size) => size <= Math.min(rows, most));
    let before;
    for (const size of measured.length > 0 ? measured : [rows]) {
      const spent = await spending(await of(desk, size));
      before ??= spent.processor;
      yield figures(`${name}, ${size.toLocaleString("en")}`, spent, spent.processor / before);
      before = spent.processor;
      if (size === most) yield memory(spent.mebibytes, mebibytes);
    }
  }
  yield { note: "Processor time and peak memory. The ratio is to a tenth of the rows." };
}

function figures(name, { processor, mebibytes }, ratio) {
  const ours = `${(processor / 1000).toFixed(1)} s`;
  return { name, ours, theirs: `${mebibytes.toFixed(0)} MiB`, ratio, bound: atMost(linear) };
}

function memory(peak, limit) {
  return limited("  its peak memory", peak, limit, (value) => `${value.toFixed(0)} MiB`);
}

const columns = ["to", "name", "due", "note"];

/** A distinct Kenyan mobile number, in no order, and a value that needs its quotes. */
function cellsOf(row) {
  const number = 10_000_000 + ((row * 7919) % 89_999_999);
  return [`+2547${number}`, `Customer ${row}`, `${row % 9000}.50`, `Invoice, no ${row}`];
}

async function writeLines(path, count, lineOf) {
  const out = createWriteStream(path, { mode: 0o600 });
  for (let row = 0; row < count; row++) if (!out.write(lineOf(row))) await once(out, "drain");
  out.end();
  await once(out, "finish");
  return path;
}

const csvLine = (row) => {
  const [to, name, due, note] = cellsOf(row);
  return `${row === 0 ? `${columns.join()}\n` : ""}${to},${name},${due},"${note}"\n`;
};

const listOf = (desk, count) => writeLines(join(desk.folder, `list-${count}.csv`), count, csvLine);

function dryRun(desk, list, state, says) {
  const { env, ...command } = sms(desk, ["send", "-r", list, "-m", text, "--dry-run"], says);
  const here = { SMS_BASE_URL: desk.origins.http, SMS_API_KEY: "sk_live_bench", SMS_STATE_DIR: state };
  return { ...command, env: { ...env, ...here } };
}

async function planOf(desk, count) {
  return dryRun(desk, await listOf(desk, count), join(desk.folder, "none"), /credits/);
}

async function repeatedPlanOf(desk, count) {
  const list = await listOf(desk, count);
  return dryRun(desk, list, await recordedRun(desk, count), /had this text/);
}

async function cleaningOf(desk, count) {
  return sms(desk, ["clean", await listOf(desk, count), "-o", join(desk.folder, "cleaned.csv"), "--yes"], /rows/);
}

async function workbookOf(desk, count) {
  const { rowOf, xlsxOf } = await import(pathToFileURL(await desk.bundle("../recipients/workbooks.ts")).href);
  const rows = [columns, ...Array.from({ length: count }, (_, row) => cellsOf(row))];
  const path = join(desk.folder, "list.xlsx");
  writeFileSync(path, xlsxOf([{ rows: rows.map((cells, index) => rowOf(index + 1, ...cells)).join("") }]));
  return dryRun(desk, path, join(desk.folder, "none"), /credits/);
}

/** Writes a run whose messages were all accepted, and returns its state folder. */
async function recordedRun(desk, count) {
  const state = join(desk.folder, `recorded-${count}`);
  await writeRun(desk, state, "jan", count);
  return state;
}

async function spendOfRuns(desk, count) {
  const state = join(desk.folder, `runs-${count}`);
  for (let run = 0; run < count / 20; run++) await writeRun(desk, state, `run-${run}`, 20);
  const { env, ...command } = sms(desk, ["spend"], /Messages/);
  const here = { ...command, env: { ...env, SMS_STATE_DIR: state } };
  await spending(here);
  return here;
}

async function writeRun(desk, state, name, count) {
  const folder = join(state, "runs", name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  await writeLines(join(folder, "plan.ndjson"), count, (row) => {
    const [to, customer, due] = cellsOf(row);
    const message = { to, message: `Hi ${customer}, you owe KES ${due}` };
    const line = `${JSON.stringify({ line: row + 2, message, segments: 1 })}\n`;
    hash.update(line);
    return line;
  });
  const now = Date.now();
  await writeLines(join(folder, "journal.ndjson"), count, (row) => {
    const receipt = {
      messageId: `msg_${row}`,
      segments: 1,
      totalCredits: 1,
      totalCostKes: 0.8,
      newBalance: count - row,
    };
    const entries = [
      ["time", now + row],
      ["intent", row],
      ["accepted", row, receipt],
    ];
    return `${row === 0 ? '["begun"]\n' : ""}${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}`;
  });
  const binding = { baseUrl: desk.origins.http, path: "/api/v1/sms/send", credentials: "a", mode: "live" };
  const leftOut = createHash("sha256").digest("hex");
  const plan = { messages: count, segments: count, digests: { file: hash.digest("hex"), messages: "0", leftOut } };
  const header = { version: 1, name, started: new Date(now).toISOString(), binding, options: {}, plan };
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(header)}\n`, { mode: 0o600 });
}

/** Writes the single messages of the last month, each with its intent, and returns their state folder. */
async function historyOf(desk, count) {
  const state = join(desk.folder, `history-${count}`);
  mkdirSync(join(state, "history"), { recursive: true, mode: 0o700 });
  const now = new Date();
  const month = now.toISOString().slice(0, 7);
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const step = (now.getTime() - first) / count;
  await writeLines(join(state, "history", `${month}.ndjson`), count, (row) => {
    const at = new Date(first + Math.floor(row * step)).toISOString();
    const to = `+2547${String(row).padStart(8, "0")}`;
    const intent = [at, `m${row}`, "send", "a1b2c3d4", "prod", "default", "live", to, "ACME", 1];
    const [sent, credits] = [
      { outcome: "accepted", messageId: `msg_${row}` },
      { segments: 1, totalCredits: 1 },
    ];
    const by = { kind: "send", run: null, account: "a1b2c3d4", key: "prod", profile: "default", mode: "live" };
    const rest = { totalCostKes: 0.8, newBalance: count - row, settles: `m${row}` };
    const outcome = { at, ...by, to, sender: "ACME", ...sent, ...credits, ...rest };
    return `\n${JSON.stringify(intent)}\n\n${JSON.stringify(outcome)}\n`;
  });
  return state;
}

async function behind(desk, count, args) {
  const { env, ...command } = sms(desk, args, args[0] === "spend" ? /Messages/ : /accepted/);
  return { ...command, env: { ...env, SMS_STATE_DIR: await historyOf(desk, count) } };
}

async function watchBehind(desk, count) {
  const { env } = send(desk, "http");
  const watch = `echo disk full | exec "${process.execPath}" "${desk.program}" watch --to +254712345678 --at-most 6/h`;
  const own = { ...env, SMS_STATE_DIR: await historyOf(desk, count) };
  return { program: "sh", args: ["-c", watch], env: own, says: /✓/ };
}
