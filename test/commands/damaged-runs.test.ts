import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, run, runsFolder, send } = withRuns();

let again: readonly string[];

beforeEach(async () => {
  const path = file("list.txt", numbers(3).join("\n"));
  again = ["-r", path, "-m", "Hi", "--run", "topup"];
  await send(again);
});

/** Fills a file with zeros, as a power cut can. */
function zero(path: string): void {
  writeFileSync(path, Buffer.alloc(readFileSync(path).length));
}

describe("a run", () => {
  it.each([
    ["header is gone", "run.json", rmSync],
    ["journal is empty", "journal.ndjson", truncateSync],
    ["journal is all zeros", "journal.ndjson", zero],
    ["journal has lost its start", "journal.ndjson", (path: string) => writeFileSync(path, "ndjson")],
  ] as const)("whose %s texts nobody again, and every command says so", async (_, name, damage) => {
    damage(runsFolder("topup", name));
    for (const args of [
      ["send", ...again],
      ["send", "--dry-run", ...again],
      ["runs", "resume", "topup"],
    ]) {
      const value = { errorCode: "RUN_DAMAGED", outcome: "unsent" };
      expect(await json(args)).toMatchObject({ code: 2, value });
    }
    const { code, stderr } = await run(["runs", "show", "topup"]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("restore the run's folder") });
    expect((await run(["runs", "list"])).stderr).toMatch(/^Warning: run topup cannot be read: .*\n$/);
    expect(accepted()).toHaveLength(3);
    expect((await run(["runs", "remove", "topup", "--yes"])).code).toBe(0);
  });

  it("that was killed right after it began is sent", async () => {
    const begun = readFileSync(runsFolder("topup", "journal.ndjson"), "utf8").split("\n")[0];
    writeFileSync(runsFolder("topup", "journal.ndjson"), `${begun}\n`);
    expect((await send(again)).code).toBe(0);
    expect(accepted()).toHaveLength(6);
  });

  it("that was killed right before it began is begun anew", async () => {
    const begun = readFileSync(runsFolder("topup", "journal.ndjson"), "utf8").split("\n")[0];
    for (const journal of [`${begun}\n`, "", "\0\0\0"]) {
      writeFileSync(runsFolder("topup", "journal.ndjson"), journal);
      rmSync(runsFolder("topup", "run.json"), { force: true });
      expect((await send([...again, "--dry-run"])).code).toBe(0);
    }
  });
});

describe("the folder", () => {
  const commands = ["send", "runs show topup"];

  it.each(commands)("of all runs is named if it is a file: %s", async (command) => {
    renameSync(runsFolder(), `${runsFolder()}-away`);
    writeFileSync(runsFolder(), "");
    const args = [...command.split(" "), ...(command === "send" ? again : [])];
    expect(await json(args)).toMatchObject({ code: 2, value: { error: expect.stringContaining(runsFolder()) } });
  });

  it("of one run is named if it is a file", async () => {
    writeFileSync(runsFolder("note"), "");
    const error = expect.stringContaining(`${runsFolder("note")} is not a folder`);
    expect(await json(["runs", "show", "note"])).toMatchObject({ code: 2, value: { error } });
  });
});
