import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { leftBy } from "../files/left-lock.ts";
import { take } from "../files/taken-lock.ts";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, run, runsFolder, send } = withRuns();

/** A lock that a process of another machine has left on a shared file system. */
const elsewhere = leftBy({ machine: "web-2", pid: 4711, boot: "another", isLocal: false });

const lock = () => runsFolder("topup", "lock");

beforeEach(async () => {
  await send(["-r", file("list.txt", numbers(3).join("\n")), "-m", "Hi", "--run", "topup"]);
  const [begun = ""] = readFileSync(runsFolder("topup", "journal.ndjson"), "utf8").split("\n");
  writeFileSync(runsFolder("topup", "journal.ndjson"), `${begun}\n`);
  writeFileSync(lock(), elsewhere);
});

describe("a run whose owner cannot be seen from here", () => {
  it("names its machine, process and file, and the way on", async () => {
    const error = `process 4711 on web-2 works on run topup: its lock is ${lock()}`;
    const hint = "wait until it ends; if you know that it is gone, `sms runs unlock topup`";
    const refusal = await json(["runs", "resume", "topup"]);
    expect(refusal).toMatchObject({ code: 2, value: { errorCode: "RUN_BUSY", error, hint } });
    expect(accepted()).toHaveLength(3);
  });

  it("is not shown as one to resume", async () => {
    const { stdout } = await run(["runs", "show", "topup"]);
    expect(stdout).toMatch(/Now: process 4711 on web-2 may be sending it; .* sms runs unlock topup\n$/);
    expect(stdout).not.toContain("resume");
  });

  it("is not unlocked unless a person says so", async () => {
    expect(await json(["runs", "unlock", "topup"])).toMatchObject({ code: 2, value: { errorCode: "NOT_CONFIRMED" } });
    let asked = "";
    expect((await run(["runs", "unlock", "topup"], { onPrompt: (text) => (asked += text) })).code).toBe(130);
    expect(asked).toContain("Is process 4711 on web-2 gone?");
    expect(readFileSync(lock(), "utf8")).toBe(elsewhere);
  });

  it("is unlocked with --yes, and goes on", async () => {
    expect(await json(["runs", "unlock", "topup", "--yes"])).toEqual({ code: 0, value: { unlocked: "topup" } });
    expect(existsSync(lock())).toBe(false);
    expect((await run(["runs", "resume", "topup"])).code).toBe(0);
    expect(accepted()).toHaveLength(6);
  });

  it("is one of another version, whatever became of its process", async () => {
    writeFileSync(lock(), '{"owner":"another"}\n');
    const error = `an unknown process works on run topup: its lock is ${lock()}`;
    expect(await json(["runs", "resume", "topup"])).toMatchObject({ value: { errorCode: "RUN_BUSY", error } });
    expect((await run(["runs", "unlock", "topup", "--yes"])).code).toBe(0);
  });
});

describe("sms runs unlock", () => {
  it.each([
    ["of a dead process of this machine", leftBy()],
    ["torn by a power cut", ""],
  ])("says that a lock %s needs no unlocking", async (_, text) => {
    writeFileSync(lock(), text);
    // A run that is closed or whole cannot be resumed.
    const value = { errorCode: "NOT_LOCKED", hint: "`sms runs show topup` says what is left" };
    expect(await json(["runs", "unlock", "topup", "--yes"])).toMatchObject({ code: 2, value });
  });

  it("refuses while the owner works on this machine", async () => {
    writeFileSync(lock(), "");
    await take(lock());
    const refusal = await json(["runs", "unlock", "topup", "--yes"]);
    expect(refusal).toMatchObject({ code: 2, value: { errorCode: "RUN_BUSY" } });
  });
});
