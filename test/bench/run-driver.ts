// Sends with the engine and prints its rate: node run-driver.mjs ORIGIN COUNT IN_FLIGHT
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../../src/record/folder/journal.ts";
import { Ledger } from "../../src/record/ledger.ts";
import { openPace } from "../../src/sending/pace.ts";
import { openGate } from "../../src/guards/gate.ts";
import { deliver } from "../../src/sending/engine.ts";
import type { PlannedMessage } from "../../src/record/plan.ts";
import { systemHost } from "../../src/host.ts";
import { openConnections } from "../../src/service/connection.ts";

const [origin = "", count = "", inFlight = ""] = process.argv.slice(2);

async function* messages(): AsyncGenerator<PlannedMessage, void> {
  for (let index = 0; index < Number(count); index++) {
    yield { index, line: index + 1, to: `+2547${String(index).padStart(8, "0")}`, text: "Hi", segments: 1 };
  }
}

const folder = mkdtempSync(join(tmpdir(), "sms-bench-"));
const path = join(folder, "journal.ndjson");
writeFileSync(path, "");
const journal = openJournal(path, () => true);
const host = systemHost();
let accepted = 0;
const began = performance.now();
await deliver(
  messages(),
  {
    inFlight: { first: Number(inFlight), most: Number(inFlight) },
    time: { kind: "per-request", ms: 30_000 },
    retries: 0,
    maxCredits: Infinity,
  },
  {
    ...host,
    startRequest: await openConnections(origin, undefined),
    gate: openGate([], host.wallClock),
    request: ({ to, text }) => ({
      origin,
      path: "/api/v1/sms/send",
      headers: { authorization: "Bearer sk_test_bench", "content-type": "application/json" },
      body: JSON.stringify({ to, message: text }),
    }),
    writer: journal,
    ledger: new Ledger(new Uint8Array(Number(count)).fill(1)),
    pace: openPace(Infinity),
    redact: (text) => text,
    onEvent: (event) => {
      if (event.kind === "settled" && event.outcome.kind === "accepted") accepted++;
    },
    interruption: { stop: new AbortController().signal, leave: new AbortController().signal },
  },
);
const seconds = (performance.now() - began) / 1000;
await journal.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify({ accepted, perSecond: Math.round(accepted / seconds) })}\n`);
