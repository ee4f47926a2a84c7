// How many messages a second the engine sends: beside curl with connections reused, and beside undici alone without.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { median, ratioOf } from "./figures.js";
import { atLeast } from "./table.js";

const messages = 60_000;
/** As many curl processes, one for each message, take as long as the others take for all messages. */
const messagesByXargs = 500;

/** Above 15,000 a minute: connections are reused. */
const reusedBounds = {
  8: { "without it": atLeast(0.8), "curl --parallel": atLeast(1), "xargs -P curl": atLeast(30) },
  32: { "without it": atLeast(0.8), "curl --parallel": atLeast(1) },
};

/** Up to 15,000 a minute: a connection for each request, to the slow server. */
const singleUse = { inFlight: 32, messages: { http: 10_000, https: 4_000 }, bound: atLeast(0.9) };

/** Yields the rows of fewer rounds than other parts have: a round must be long, or it measures a cold engine. */
export async function* measureThroughput(desk, rounds) {
  const fewerRounds = Math.ceil(rounds / 3);
  yield* measureReused(desk, fewerRounds);
  yield* measureSingleUse(desk, fewerRounds);
}

async function* measureReused(desk, rounds) {
  const clients = await clientsOf(desk);
  for (const [inFlight, bound] of Object.entries(reusedBounds)) {
    const names = ["journal", ...Object.keys(bound)];
    const before = { cpu: processorSeconds(desk.serverId), at: performance.now() };
    const rates = inTurn(rounds, names, (name) => clients[name](inFlight));
    const busy = (processorSeconds(desk.serverId) - before.cpu) / ((performance.now() - before.at) / 1000);
    for (const name of Object.keys(bound)) {
      yield row(`${inFlight} in flight, reused / ${name}`, rates.journal, rates[name], bound[name]);
    }
    const many = messages.toLocaleString("en");
    yield { note: `${rounds} × ${many} messages; the server was busy for ${(100 * busy).toFixed(0)} %.` };
  }
}

async function* measureSingleUse(desk, rounds) {
  const engine = await desk.bundle("run-driver.ts");
  const bare = await desk.bundle("bare-driver.ts");
  for (const [protocol, count] of Object.entries(singleUse.messages)) {
    const args = [desk.slowOrigins[protocol], count, singleUse.inFlight];
    const drivers = {
      engine: () => perSecondBy(engine, [...args, "with", "single-use"], count),
      bare: () => perSecondBy(bare, args, count),
    };
    const rates = inTurn(rounds, Object.keys(drivers), (name) => drivers[name]());
    const name = `${singleUse.inFlight} in flight, single-use, ${protocol} / undici`;
    yield row(name, rates.engine, rates.bare, singleUse.bound);
  }
  yield { note: "The server takes 20 ms over each answer; both clients open a connection for each request." };
}

/** Gives what `measure` found for each name in each round. */
function inTurn(rounds, names, measure) {
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) for (const name of names) found[name].push(measure(name));
  return found;
}

function row(name, ours, theirs, bound) {
  const perSecond = (rates) => `${median(rates).toFixed(0)}/s`;
  return { name, ours: perSecond(ours), theirs: perSecond(theirs), ratio: ratioOf(ours, theirs), bound };
}

/** The clients by name: each sends all messages with so many in flight, and gives messages a second. */
async function clientsOf(desk) {
  const url = `${desk.origins.http}/api/v1/sms/send`;
  const driver = await desk.bundle("run-driver.ts");
  const numbers = Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}`);
  const requests = desk.file("requests.curl", numbers.map((to) => curlRequest(url, to)).join("next\n"));
  const list = desk.file("numbers", numbers.slice(0, messagesByXargs).join("\n"));
  const body = ["-H", "content-type: application/json", "-d", `{"to":"{}","message":"Hi"}`];
  const curl = ["curl", "-s", "-o", "/dev/null", ...body, url];
  const engine = (inFlight, journaling) =>
    perSecondBy(driver, [desk.origins.http, messages, inFlight, journaling, "reused"], messages);
  return {
    journal: (inFlight) => engine(inFlight, "with"),
    "without it": (inFlight) => engine(inFlight, "without"),
    "curl --parallel": (inFlight) =>
      perSecondOf(messages, "curl", ["-s", "--parallel", "--parallel-max", inFlight, "-K", requests]),
    "xargs -P curl": (inFlight) =>
      perSecondOf(messagesByXargs, "xargs", ["-a", list, "-P", inFlight, "-I", "{}", ...curl]),
  };
}

function curlRequest(url, to) {
  const data = JSON.stringify(JSON.stringify({ to, message: "Hi" }));
  const lines = [`url = "${url}"`, `header = "content-type: application/json"`, `data = ${data}`];
  return `${lines.join("\n")}\noutput = "/dev/null"\n`;
}

/** Runs a driver, which measures itself, and gives messages a second. */
function perSecondBy(driver, args, count) {
  const env = { ...process.env, NODE_NO_WARNINGS: "1", NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const output = execFileSync(process.execPath, [driver, ...args.map(String)], { encoding: "utf8", env });
  const { accepted, perSecond } = JSON.parse(output);
  if (accepted !== count) throw new Error(`only ${accepted} of ${count} were accepted`);
  return perSecond;
}

function perSecondOf(count, command, args) {
  const began = performance.now();
  execFileSync(command, args, { stdio: "ignore" });
  return (1000 * count) / (performance.now() - began);
}

/** The processor time that a process has used, in seconds; NaN if the system has no /proc. */
function processorSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return NaN;
  }
}
