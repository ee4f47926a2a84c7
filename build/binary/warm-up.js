import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const receipt = {
  success: true,
  messageId: "m",
  segments: 1,
  totalCredits: 1,
  totalCostKes: 0.8,
  newBalance: 9,
  status: "queued",
};
const to = "+254712345678";
const commands = [
  ["send", "--to", to, "--message", "Hi"],
  ["preview", "--message", "Hi"],
  ["status"],
  ["keys", "list"],
  ["runs", "list"],
];

/** Runs what people run most with a Node and a bundle; returns the files with the code that V8 compiled, by their commands. */
export async function warmUp(node, dist) {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end(JSON.stringify({ ...receipt, to, senderId: "SMS" })));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const home = mkdtempSync(join(tmpdir(), "sms-warm-up-"));
  const env = {
    SMS_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    SMS_API_KEY: "sk_test_warm_up",
    SMS_CONFIG_DIR: join(home, "config"),
    SMS_STATE_DIR: join(home, "state"),
  };
  try {
    for (const args of commands) await promisify(execFile)(node, [join(dist, "start.cjs"), ...args], { env });
  } finally {
    server.close();
    rmSync(home, { recursive: true });
  }
  const files = readdirSync(dist).filter((name) => name.endsWith(".kept"));
  return Object.fromEntries(files.map((name) => [name.slice(0, name.indexOf("-")), join(dist, name)]));
}
