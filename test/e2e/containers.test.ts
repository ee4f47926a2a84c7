import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { inContainer } from "../support/container.ts";
import { type CountingServer, startCountingServer } from "../support/counting-server.ts";
import { startSms } from "../support/sms.ts";
import { needs } from "../support/needs.ts";
import { trials } from "../support/trials.ts";
import { temporaryFolder } from "../support/folders.ts";

const rounds = trials("ROUNDS", 1, 2);

let server: CountingServer;
let folder: string;

beforeEach(async () => {
  server = await startCountingServer(10);
  folder = temporaryFolder();
});

function startIn(hostName: string, args: readonly string[]) {
  const env = {
    HOME: folder,
    SMS_STATE_DIR: join(folder, "state"),
    SMS_BASE_URL: server.url,
    SMS_API_KEY: "sk_test_runs",
  };
  return startSms(args, { env, through: inContainer(hostName) });
}

function send(name: string, perMinute = 15_000): readonly string[] {
  const path = join(folder, "list.txt");
  writeFileSync(path, Array.from({ length: 120 }, (_, index) => `+25471${2_000_000 + index}\n`).join(""));
  return ["send", "-r", path, "-m", `Hi ${name}`, "--run", name, "--rate", String(perMinute)];
}

const most = () => Math.max(...server.counts.values());

describe("two containers with one host name", needs("PID namespaces"), () => {
  it(`text nobody twice when both start a run at once, ${rounds} times`, { timeout: 90_000 * rounds }, async () => {
    for (let round = 0; round < rounds; round++) {
      const args = send(`round-${round}`);
      const both = await Promise.all([startIn("app", args).ended, startIn("app", args).ended]);
      expect(most()).toBe(round + 1);
      expect([server.counts.size, Math.min(...server.counts.values())]).toEqual([120, round + 1]);
      const [first, second] = both.toSorted((a, b) => Number(a.code) - Number(b.code));
      expect(first?.code).toBe(0);
      // If it came late, the run was done.
      expect(second?.code === 0 || second?.stderr.includes("on app works on")).toBe(true);
    }
  });
});

describe("a run in a container that is killed", needs("PID namespaces"), () => {
  it("keeps others out while it lives, and is continued under another host name", async () => {
    // A minute of work: a busy machine takes a while to start the second.
    const first = startIn("first", send("topup", 120));
    await expect.poll(() => server.counts.size).toBeGreaterThan(2);
    const busy = await startIn("second", ["runs", "resume", "topup"]).ended;
    const lock = join(folder, "state", "runs", "topup", "lock");
    expect(busy.stderr).toMatch(/process \d+ on first works on run topup/);
    expect(busy).toMatchObject({ code: 2, stderr: expect.stringContaining(lock) });
    first.child.kill("SIGKILL");
    await first.ended;
    expect(server.counts.size).toBeLessThan(120);
    const resume = ["runs", "resume", "topup", "--rate", "15000"];
    const { code, stdout, stderr } = await startIn("second", resume).ended;

    expect([0, 11]).toContain(code);
    expect(stdout + stderr).not.toMatch(/pending|unsent/);
    expect(most()).toBe(1);
    expect(server.counts.size).toBeGreaterThanOrEqual(120 - 4);
  });
});
