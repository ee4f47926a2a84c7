// Sends a second of the engine, with its journal and without, beside curl on the same server: node test/bench/throughput.js
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const messages = 60_000;
/** So many curls, started one after another, take as long as all of the others' messages. */
const messagesByXargs = 500;
const rounds = 3;
const folder = mkdtempSync(join(tmpdir(), "sms-bench-"));

// Reads just enough HTTP to answer: what is measured must be the client.
const serverScript = script(
  "server.mjs",
  `import { createServer } from "node:net";
let count = 0;
const server = createServer((socket) => {
  let unread = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    unread += chunk.toString("latin1");
    for (;;) {
      const headEnd = unread.indexOf("\\r\\n\\r\\n");
      if (headEnd < 0) return;
      const length = Number(/content-length: (\\d+)/i.exec(unread.slice(0, headEnd))?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (unread.length < end) return;
      const to = /"to":"([^"]*)"/.exec(unread.slice(headEnd, end))?.[1];
      unread = unread.slice(end);
      const receipt = { success: true, messageId: "msg_" + count++, segments: 1, totalCredits: 1, totalCostKes: 0.8 };
      const body = JSON.stringify({ ...receipt, newBalance: 99, status: "queued", to, senderId: "ACME" });
      socket.write("HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: " + body.length + "\\r\\n\\r\\n" + body);
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`,
);
const server = spawn(process.execPath, [serverScript], { stdio: ["ignore", "pipe", "inherit"] });
const [port] = await once(server.stdout, "data");
const origin = `http://127.0.0.1:${String(port).trim()}`;
const url = `${origin}/api/v1/sms/send`;

const driver = join(folder, "driver.mjs");
await build({
  input: fileURLToPath(new URL("run-driver.ts", import.meta.url)),
  platform: "node",
  resolve: { alias: { undici: fileURLToPath(new URL("../../.config/undici.js", import.meta.url)) } },
  logLevel: "warn",
  output: { file: driver, format: "esm", codeSplitting: false },
});

const numbers = Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}`);
const curlRequests = script(
  "requests.curl",
  numbers
    .map(
      (to) =>
        `url = "${url}"\nheader = "content-type: application/json"\ndata = "{\\"to\\":\\"${to}\\",\\"message\\":\\"Hi\\"}"\noutput = "/dev/null"\n`,
    )
    .join("next\n"),
);

const clients = {
  "with the journal": (inFlight) => engine(inFlight, "with"),
  "without it": (inFlight) => engine(inFlight, "without"),
  "curl --parallel": (inFlight) =>
    timed(messages, "curl", ["-s", "--parallel", "--parallel-max", String(inFlight), "-K", curlRequests]),
};

for (const inFlight of [8, 32]) {
  const rates = Object.fromEntries(Object.keys(clients).map((name) => [name, []]));
  const load = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, client] of Object.entries(clients)) {
      const before = { cpu: cpuOf(server.pid), at: performance.now() };
      rates[name].push(client(inFlight));
      load[name] = (1000 * (cpuOf(server.pid) - before.cpu)) / (performance.now() - before.at);
    }
  }
  const journal = median(rates["with the journal"]);
  say(`${inFlight} in flight, ${messages} messages, medians of ${rounds} rounds`);
  for (const [name, all] of Object.entries(rates)) {
    const share = ratio(rates["with the journal"], all);
    say(
      `  ${name.padEnd(18)} ${median(all).toFixed(0).padStart(6)} a second; with the journal / this: ${share}; the server was busy for ${(100 * load[name]).toFixed(0)} %`,
    );
  }
  if (inFlight === 8) {
    const body = `{"to":"{}","message":"Hi"}`;
    const list = script("numbers", numbers.slice(0, messagesByXargs).join("\n"));
    const curl = ["curl", "-s", "-o", "/dev/null", "-H", "content-type: application/json", "-d", body, url];
    const xargs = timed(messagesByXargs, "xargs", ["-a", list, "-P", "8", "-I", "{}", ...curl]);
    say(
      `  xargs -P8 curl     ${xargs.toFixed(0).padStart(6)} a second; with the journal / this: ${(journal / xargs).toFixed(1)}`,
    );
  }
}

server.kill();
rmSync(folder, { recursive: true });

function engine(inFlight, journaling) {
  const args = [driver, origin, String(messages), String(inFlight), journaling];
  const { accepted, perSecond } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  if (accepted !== messages) throw new Error(`only ${accepted} of ${messages} were accepted`);
  return perSecond;
}

function timed(count, command, args) {
  const began = performance.now();
  execFileSync(command, args, { stdio: "ignore" });
  return (1000 * count) / (performance.now() - began);
}

/** Seconds of processor time that a process has used, where the system has /proc. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return NaN;
  }
}

function ratio(ours, theirs) {
  return median(ours.map((rate, index) => rate / theirs[index])).toFixed(2);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function script(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
