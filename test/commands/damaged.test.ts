import { readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const { file, path, run, runJson, texted } = withPhones();

const ofJan = (name: string) => path("state", "runs", "jan", name);
const list = (name: string, ...more: readonly string[]) => {
  const rows = file(`${name}.txt`, numbers(6).join("\n"));
  return ["send", "-r", rows, "-m", "Hi", "--run", name, "--yes", ...fast, ...more];
};
const cut = (text: string) => text.split("\n").slice(0, 3).join("\n").concat("\n");
const old = new Date("2020-01-01T00:00:00Z");

const broken = () => {
  const [begun = "", time = "", ...rest] = readFileSync(ofJan("journal.ndjson"), "utf8").split("\n");
  const later = rest.filter((line) => !line.startsWith('["time"'));
  return [begun, `["time",${old.getTime()}]`, time.slice(0, 9), ...later].join("\n");
};

/** How the files of a run that has sent to three can be damaged. */
const damages: readonly (readonly [what: string, () => void])[] = [
  ["whose plan is cut", () => writeFileSync(ofJan("plan.ndjson"), cut(readFileSync(ofJan("plan.ndjson"), "utf8")))],
  ["whose plan is emptied", () => truncateSync(ofJan("plan.ndjson"))],
  ["whose plan is gone", () => rmSync(ofJan("plan.ndjson"))],
  ["whose journal is gone", () => rmSync(ofJan("journal.ndjson"))],
  ["whose journal is emptied", () => truncateSync(ofJan("journal.ndjson"))],
  ["whose journal is all zeros, after a power cut", () => writeFileSync(ofJan("journal.ndjson"), "\0".repeat(99))],
  ["whose journal has lost its start", () => writeFileSync(ofJan("journal.ndjson"), '"\n["intent",1]\n')],
  ["whose journal has a broken line, behind times of long ago", () => writeFileSync(ofJan("journal.ndjson"), broken())],
  ["whose header is gone", () => rmSync(ofJan("run.json"))],
  ["whose header is cut", () => truncateSync(ofJan("run.json"), 9)],
];

/** What must look into the run. */
const doors: readonly (readonly [what: string, () => readonly string[]])[] = [
  ["the same list under another name", () => list("feb")],
  ["another text", () => list("mar").map((word) => (word === "Hi" ? "Ho" : word))],
  ["a dry run", () => list("feb", "-n")],
  ["--repeated send", () => list("feb", "--repeated", "send")],
  ["--repeated skip", () => list("feb", "--repeated", "skip")],
  ["--exclude run:", () => list("feb", "--repeated", "send", "--exclude", "run:jan")],
  ["the same command", () => list("jan")],
  ["resume", () => ["runs", "resume", "jan", "--yes"]],
  ["show", () => ["runs", "show", "jan"]],
  ["export", () => ["runs", "export", "jan"]],
  ["close", () => ["runs", "close", "jan"]],
];

describe.each(damages)("a run %s", (_, damage) => {
  it("stops all that must look into it, and no single message, until it is removed", async () => {
    expect((await run(list("jan"))).code).toBe(0);
    damage();
    const answers = [];
    for (const [door, args] of doors) {
      const { code, value } = await runJson(args());
      answers.push([
        door,
        code,
        value.errorCode,
        /\bjan\b/.test(value.error),
        /restore the run's folder.*`sms runs remove jan`/.test(value.hint),
      ]);
    }
    expect(answers).toEqual(doors.map(([door]) => [door, 2, "RUN_DAMAGED", true, true]));
    expect((await run(["send", "--to", "+254712345678", "-m", "Hi"])).code).toBe(0);
    expect((await run(["runs", "remove", "jan", "--yes"])).code).toBe(0);
    expect(texted()).toHaveLength(7);
    expect((await run(list("feb"))).code).toBe(0);
  });
});

it.each(damages.filter(([what]) => !what.includes("plan")))(
  "a run %s is named where all are listed",
  async (_, damage) => {
    await run(list("jan"));
    damage();
    expect((await run(["runs", "list"])).stderr).toMatch(/^Warning: run jan cannot be read: .*\n$/);
  },
);

it("a run whose files have old times, as those of a restored copy, has sent when its entries say so", async () => {
  await run(list("jan"));
  for (const name of ["plan.ndjson", "journal.ndjson", "run.json", ""]) utimesSync(ofJan(name), old, old);

  expect((await runJson(list("feb"))).value).toMatchObject({ errorCode: "RUN_REPEATED" });
  expect(texted()).toEqual(numbers(6));
});

describe("a run of a team", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();

  it.each(["plan", "journal"])(
    "that has lost rows of its %s stops every list, and is excluded by none",
    async (table) => {
      const record = postgres.newRecord();
      const there = { environment: { SMS_RECORD: record } };
      expect((await run(list("jan"), there)).code).toBe(0);
      postgres.sql(record, `delete from sms.${table} where ctid in (select ctid from sms.${table} limit 1)`);
      const other = list("feb").map((word) => (word === "Hi" ? "Ho" : word));
      const again = [...other, "--repeated", "send"];
      for (const args of [other, again, [...again, "--exclude", "run:jan"], ["runs", "show", "jan"]]) {
        const { code, value } = await runJson(args, there);
        expect([code, value]).toMatchObject([
          2,
          { errorCode: "RUN_DAMAGED", error: expect.stringContaining("run jan at ") },
        ]);
      }
      expect(texted()).toEqual(numbers(6));
    },
  );
});
