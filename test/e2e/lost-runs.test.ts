import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { leftBy } from "../files/left-lock.ts";
import { runBuilt } from "../support/built.ts";
import { startCountingServer } from "../support/counting-server.ts";
import { temporaryFolder } from "../support/folders.ts";

it.for<[string, (run: string, state: string) => unknown]>([
  ["its folder is removed", (run) => rmSync(run, { recursive: true })],
  ["its folder is moved", (run) => renameSync(run, `${run}-away`)],
  ["its journal is replaced", (run) => renameSync(join(run, "plan.ndjson"), join(run, "journal.ndjson"))],
  ["its journal is emptied", (run) => truncateSync(join(run, "journal.ndjson"))],
  ["it is unlocked", (run) => rmSync(join(run, "lock"))],
  ["another process has its lock", (run) => writeFileSync(join(run, "lock"), leftBy())],
  ["its folder is unmounted", (_, state) => spawnSync("umount", ["--lazy", state])],
])("a run that is sent stops at the next flush if %s", async ([what, happen], { skip }) => {
  const state = join(temporaryFolder(), "state");
  mkdirSync(state, { mode: 0o700 });
  if (what.endsWith("unmounted") && spawnSync("mount", ["-t", "tmpfs", "-o", "mode=0700", "none", state]).status !== 0)
    skip("no tmpfs can be mounted here");
  const server = await startCountingServer(10);
  const args = ["send", "-r", "-", "-m", "Hi", "--run", "topup", "--rate", "12000", "--json"];
  const env = { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_runs", SMS_STATE_DIR: state };
  const stdin = Array.from({ length: 400 }, (_, index) => `+25471${2_000_000 + index}\n`).join("");

  const running = runBuilt(args, { env, stdin });
  await expect.poll(() => server.counts.size, { interval: 5 }).toBeGreaterThan(10);
  happen(join(state, "runs", "topup"), state);
  const before = server.counts.size;
  const { code, stderr } = await running;

  expect({ code, ...JSON.parse(stderr) }).toMatchObject({ code: 11, errorCode: "RUN_NOT_RECORDED" });
  // What was in flight, and the intents that were flushed at that moment.
  expect(server.counts.size).toBeLessThanOrEqual(before + 8);
});
