// How sms compares, as ratios measured side by side: npm run bench [-- PART …] [--quick] [--rows N]
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { openDesk } from "./desk.js";
import { measureGrowth } from "./growth.js";
import { measureOnce } from "./once.js";
import { measurePace } from "./pace.js";
import { measureRecord } from "./record.js";
import { measureBinary, measureStart } from "./start.js";
import { heading, line } from "./table.js";
import { measureThroughput } from "./throughput.js";
import { measureWatch } from "./watch.js";

const parts = {
  start: measureStart,
  throughput: measureThroughput,
  pace: measurePace,
  growth: measureGrowth,
  once: measureOnce,
  record: measureRecord,
  watch: measureWatch,
  binary: measureBinary,
};

const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean" }, rows: { type: "string" } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  throw new Error(`no part is called ${unknown.join(", ")}: there are ${Object.keys(parts).join(", ")}`);
}

// It costs Node 20 some 50 ms at every start, so that all ratios would look better than they are.
delete process.env.NODE_EXTRA_CA_CERTS;

/** With so few rows that a test can run each part. */
const rows = values.rows && Number(values.rows);
const rounds = rows ? 1 : values.quick ? 3 : 21;
const machine = `${process.platform} ${process.arch}, ${availableParallelism()} processors`;
say(`Node ${process.version}, ${machine}; medians of ${rounds} rounds, in each of which all take their turn`);
const desk = await openDesk();
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    say(`\n${heading(name)}`);
    for await (const row of parts[name](desk, rounds, rows)) say(line(row));
  }
} finally {
  desk.close();
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
