import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { here } from "../resolution.js";

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
/** A send comes first, because a chunk has the code of the first run that loads it. */
const commands = [
  ["send", "--to", to, "--message", "Hi"],
  ["preview", "--message", "Hi"],
  ["status"],
  ["keys", "list"],
  ["runs", "list"],
];

export async function warmUp(node, dist, work) {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end(JSON.stringify({ ...receipt, to, senderId: "SMS" })));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const code = join(work, "code");
  mkdirSync(code);
  const env = {
    SMS_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    SMS_API_KEY: "sk_test_warm_up",
    SMS_CONFIG_DIR: join(work, "config"),
    SMS_STATE_DIR: join(work, "state"),
  };
  try {
    for (const args of commands) {
      await promisify(execFile)(node, [here("binary/trial-run.cjs"), dist, code, ...args], { env });
    }
  } finally {
    server.close();
  }
  return code;
}
