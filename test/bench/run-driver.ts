// Sends with the engine and prints its rate: node run-driver.mjs ORIGIN COUNT IN_FLIGHT
import { rmSync } from "node:fs";
import { begunRun, drafts, sendRun } from "../sending/running.ts";

const [origin = "", count = "", inFlight = ""] = process.argv.slice(2);
const run = await begunRun(drafts(Number(count)));
const began = performance.now();
let ended = began;
const onEvent = () => void (ended = performance.now());
const { tally } = await sendRun(run, origin, { inFlight: Number(inFlight), retries: 0, onEvent });
rmSync(run.state.path, { recursive: true });
const { accepted } = tally;
const perSecond = Math.round((1000 * accepted) / (ended - began));
process.stdout.write(`${JSON.stringify({ accepted, perSecond })}\n`);
