// Whether a run keeps the rate of the professional tier against a service that is 100 ms away, over https.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { listOfNumbers, sendingTo } from "./commands.js";
import { rateRow } from "./table.js";

const oneWayMs = 50;
const perMinute = 2_000;
const halfAMinute = 1_050;

export async function* measurePace(desk, _rounds, messages = halfAMinute) {
  const flags = ["--rate", "professional", "--message", "Hi", "--yes", "--json"];
  const args = ["bin/sms.js", "send", "--recipients", listOfNumbers(desk, messages), ...flags];
  const proxy = await openDelayingProxy(Number(new URL(desk.origins.https).port), oneWayMs);
  const env = { ...sendingTo(desk, `https://127.0.0.1:${proxy.port}`), NODE_NO_WARNINGS: "1" };
  const { output, code } = await end(args, env);
  proxy.close();
  const lost = output.split("\n").filter((line) => !line.includes('"outcome":"accepted"'));
  if (code !== 0) throw new Error(`exit ${code}: ${lost.join("\n")}`);
  const [first, last] = [proxy.connections[0], proxy.connections.at(-1)];
  const measured = (60_000 * (proxy.connections.length - 1)) / (last - first);
  // The pace gives up a hundredth, so that late requests pass no limit, and a run begins with one in flight.
  yield rateRow("requests a minute / the tier's", measured, perMinute, 0.97);
  yield { note: `${messages.toLocaleString("en")} accepted, in ${((last - first) / 1000).toFixed(1)} s` };
  yield { note: `${2 * oneWayMs} ms for a round trip, of which a new connection and its request take three.` };
}

/** A TCP proxy to a port of loopback that delays all bytes each way, and the times of its connections. */
export async function openDelayingProxy(port, delay) {
  const connections = [];
  const server = createServer((client) => {
    const opened = performance.now();
    connections.push(opened);
    const service = connect(port, "127.0.0.1");
    // On loopback the TCP handshake takes no time, so its round trip is added to the first bytes.
    forward(client, service, opened + 2 * delay, delay);
    forward(service, client, opened, delay);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { connections, port: server.address().port, close: () => server.close() };
}

/** Forwards bytes and the end of them, `delay` after they came or after `earliest`, whichever is later. */
function forward(from, to, earliest, delay) {
  let before = Promise.resolve();
  const later = (action) => {
    const due = sleep(Math.max(0, earliest - performance.now()) + delay);
    // Timers alone would not keep the order.
    before = Promise.all([before, due]).then(() => action());
  };
  from.on("data", (chunk) => later(() => to.writable && to.write(chunk)));
  from.on("end", () => later(() => to.end()));
  from.on("error", () => {});
  from.on("close", () => later(() => to.end()));
}

export async function end(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return { output, code };
}
