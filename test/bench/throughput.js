// Sends a second of the engine, with its journal and without, beside curl on the same server.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { median, ratioOf } from "./figures.js";
import { atLeast } from "./table.js";

const messages = 60_000;
/** So many curls, started one after another, take as long as all of the others' messages. */
const messagesByXargs = 500;

const bounds = {
  8: { "without it": atLeast(0.8), "curl --parallel": atLeast(1), "xargs -P curl": atLeast(30) },
  32: { "without it": atLeast(0.8), "curl --parallel": atLeast(1) },
};

/** Yields the rows for 8 and for 32 in flight, of fewer rounds: runs must be long, or they measure a cold engine. */
export async function* measureThroughput(desk, rounds) {
  const fewerRounds = Math.ceil(rounds / 3);
  const clients = await clientsOf(desk);
  for (const [inFlight, bound] of Object.entries(bounds)) {
    const rates = Object.fromEntries(["journal", ...Object.keys(bound)].map((name) => [name, []]));
    const before = { cpu: processorSeconds(desk.serverId), at: performance.now() };
    for (let round = 0; round < fewerRounds; round++) {
      for (const name of Object.keys(rates)) rates[name].push(clients[name](inFlight));
    }
    const busy = (processorSeconds(desk.serverId) - before.cpu) / ((performance.now() - before.at) / 1000);
    for (const name of Object.keys(bound)) {
      yield {
        name: `${inFlight} in flight, with the journal / ${name}`,
        ours: `${median(rates.journal).toFixed(0)}/s`,
        theirs: `${median(rates[name]).toFixed(0)}/s`,
        ratio: ratioOf(rates.journal, rates[name]),
        bound: bound[name],
      };
    }
    const many = messages.toLocaleString("en");
    yield {
      note: `${fewerRounds} × ${many} messages; the server was busy for ${(100 * busy).toFixed(0)} %.`,
    };
  }
}

/** What each does with so many in flight, in messages a second. */
async function clientsOf(desk) {
  const url = `${desk.origins.http}/api/v1/sms/send`;
  const driver = await desk.bundle("run-driver.ts");
  const numbers = Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}`);
  const requests = desk.file("requests.curl", numbers.map((to) => curlRequest(url, to)).join("next\n"));
  const list = desk.file("numbers", numbers.slice(0, messagesByXargs).join("\n"));
  const body = ["-H", "content-type: application/json", "-d", `{"to":"{}","message":"Hi"}`];
  const curl = ["curl", "-s", "-o", "/dev/null", ...body, url];
  const engine = (inFlight, journaling) => {
    const args = [driver, desk.origins.http, String(messages), inFlight, journaling];
    const { accepted, perSecond } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    if (accepted !== messages) throw new Error(`only ${accepted} of ${messages} were accepted`);
    return perSecond;
  };
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

function perSecondOf(count, command, args) {
  const began = performance.now();
  execFileSync(command, args, { stdio: "ignore" });
  return (1000 * count) / (performance.now() - began);
}

/** Seconds of processor time that a process has used, where the system has /proc. */
function processorSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return NaN;
  }
}
