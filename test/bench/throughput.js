// How many messages a second the engine sends, a connection for each request: beside curl and undici that do the same.
import { execFileSync } from "node:child_process";
import { inTurn, median, ratioOf } from "./figures.js";
import { atLeast } from "./table.js";

const inFlight = 32;
const messages = { http: 10_000, https: 4_000 };

/** Yields the rows of fewer rounds than other parts have: a round must be long, or it measures a cold engine. */
export async function* measureThroughput(desk, rounds, rows) {
  const fewerRounds = Math.ceil(rounds / 3);
  const engine = await desk.bundle("run-driver.ts");
  const bare = await desk.bundle("bare-driver.ts");
  for (const [protocol, most] of Object.entries(messages)) {
    const count = rows ?? most;
    const origin = desk.slowOrigins[protocol];
    const requests = desk.file(`requests-${protocol}.curl`, curlRequests(`${origin}/api/v1/sms/send`, count));
    const clients = {
      engine: () => perSecondBy(engine, [origin, count, inFlight], count),
      "curl --parallel": () =>
        perSecondOf(count, "curl", ["-s", "--parallel", "--parallel-max", inFlight, "-K", requests]),
      undici: () => perSecondBy(bare, [origin, count, inFlight], count),
    };
    const rates = await inTurn(fewerRounds, clients, (measure) => measure());
    const bounds = { "curl --parallel": atLeast(1), undici: atLeast(0.9) };
    for (const [name, bound] of Object.entries(bounds)) {
      yield row(`${inFlight} in flight, ${protocol} / ${name}`, rates.engine, rates[name], bound);
    }
  }
  yield { note: "The server takes 20 ms over each answer; all clients open a connection for each request." };
}

function row(name, ours, theirs, bound) {
  const perSecond = (rates) => `${median(rates).toFixed(0)}/s`;
  return { name, ours: perSecond(ours), theirs: perSecond(theirs), ratio: ratioOf(ours, theirs), bound };
}

/** A request for each message, which asks the server to close the connection: curl has no option that does. */
function curlRequests(url, count) {
  const lines = (index) => [
    `url = "${url}"`,
    `header = "content-type: application/json"`,
    `header = "connection: close"`,
    `data = ${JSON.stringify(JSON.stringify({ to: `+2547${String(index).padStart(8, "0")}`, message: "Hi" }))}`,
    `output = "/dev/null"`,
    "http1.1",
    "insecure",
  ];
  return Array.from({ length: count }, (_, index) => `${lines(index).join("\n")}\n`).join("next\n");
}

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
