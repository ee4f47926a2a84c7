import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { here } from "../resolution.js";

/** A send comes first, because a chunk has the code of the first run that loads it. */
const commands = [
  ["send", "--to", "+254712345678", "--message", "Hi"],
  ["preview", "--message", "Hi"],
  ["status"],
  ["keys", "list"],
  ["runs", "list"],
];

export function warmUp(node, dist, work) {
  const code = join(work, "code");
  mkdirSync(code);
  const env = { SMS_CONFIG_DIR: join(work, "config"), SMS_STATE_DIR: join(work, "state") };
  for (const args of commands) {
    const trialRun = [node, here("binary/trial-run.cjs"), dist, code, ...args];
    execFileSync(node, [join(dist, "start.cjs"), "sandbox", "exec", "--", ...trialRun], { env, stdio: "pipe" });
  }
  return code;
}
