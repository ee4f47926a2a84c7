import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { leftBy } from "../files/left-lock.ts";
import { runBuilt } from "../support/built.ts";
import { type CountingServer, startCountingServer } from "../support/counting-server.ts";
import { needs } from "../support/needs.ts";
import type { Ended } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

let server: CountingServer;
let folder: string;
let state: string;

beforeEach(async () => {
  server = await startCountingServer(10);
  folder = temporaryFolder();
  state = join(folder, "state");
  mkdirSync(state, { mode: 0o700 });
});

const runFolder = () => join(state, "runs", "topup");

/** Sends a run to 400 people, and does this to its files once some are sent. */
async function sendAnd(happen: () => void): Promise<Ended> {
  const list = join(folder, "list.txt");
  writeFileSync(list, Array.from({ length: 400 }, (_, index) => `+25471${2_000_000 + index}\n`).join(""));
  const args = ["send", "-r", list, "-m", "Hi", "--run", "topup", "--rate", "12000", "--json"];
  const env = { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_runs", SMS_STATE_DIR: state };
  const running = runBuilt(args, { env });
  await expect.poll(() => server.counts.size, { interval: 5 }).toBeGreaterThan(10);
  happen();
  return running;
}

async function expectStop(happen: () => void): Promise<void> {
  let sent = 0;
  const { code, stderr } = await sendAnd(() => {
    happen();
    sent = server.counts.size;
  });
  expect({ code, ...JSON.parse(stderr) }).toMatchObject({ code: 11, errorCode: "RUN_NOT_RECORDED" });
  // What was in flight, and the intents that were flushed at that moment.
  expect(server.counts.size).toBeLessThanOrEqual(sent + 8);
}

describe("a run that is sent stops at the next flush", () => {
  it.each([
    ["its folder is removed", () => rmSync(runFolder(), { recursive: true })],
    ["its folder is moved", () => renameSync(runFolder(), `${runFolder()}-away`)],
    [
      "its journal is replaced",
      () => renameSync(join(runFolder(), "plan.ndjson"), join(runFolder(), "journal.ndjson")),
    ],
    ["its journal is emptied", () => truncateSync(join(runFolder(), "journal.ndjson"))],
    ["it is unlocked", () => rmSync(join(runFolder(), "lock"))],
    ["another process has its lock", () => writeFileSync(join(runFolder(), "lock"), leftBy())],
  ])("if %s", async (_, happen) => {
    await expectStop(happen);
  });

  it("if its folder is unmounted", needs("root"), async ({ skip }) => {
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "mode=0700", "none", state]).status !== 0)
      skip("no tmpfs can be mounted here");
    await expectStop(() => void spawnSync("umount", ["--lazy", state]));
  });
});
