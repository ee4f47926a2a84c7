import { describe, expect, it } from "vitest";
import type { Machine } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { withPhones } from "./with-phones.ts";
import { numbers } from "./with-runs.ts";

const hourMs = 3_600_000;

/** Far from its midnight, and a day behind Kiritimati. */
const west = new Date().getUTCHours() === 10 ? "Pacific/Honolulu" : "Pacific/Pago_Pago";
const east = "Pacific/Kiritimati";

const at = (hours: number): Machine => {
  const clock = () => Date.now() + hours * hourMs;
  return { now: clock, clock };
};

/** Who spends the whole day first, and who asks then. */
const others: readonly (readonly [string, Machine, Machine])[] = [
  ["a zone where it is tomorrow", { zone: west }, { zone: east }],
  ["a zone where it is yesterday", { zone: east }, { zone: west }],
  ["a clock that is right, after one that was five days ahead", at(120), at(0)],
];

const wrongClocks = [13, 36, -36].map((hours) => [`a clock that differs by ${hours} hours`, at(0), at(hours)] as const);

describe.each([
  ["a folder", {}, others],
  ["a database", needs("PostgreSQL", "CI to be set"), [...others, ...wrongClocks]],
] as const)("a day's limit in %s", (place, needed, all) => {
  describe("with its record", needed, () => {
    const postgres = place === "a folder" ? undefined : usePostgres();
    const { run, runJson, texted } = withPhones();
    const [one = "", two = ""] = numbers(2);

    it.each(all)("is one for all of its day, also for %s", async (_, first, next) => {
      const record = postgres?.newRecord();
      const send = (machine: Machine, suffix: string, ...to: readonly string[]) => {
        const environment = { SMS_DAILY_CREDITS: "2", ...(record !== undefined && { SMS_RECORD: record + suffix }) };
        return [
          ["send", ...to.flatMap((number) => ["--to", number]), "-m", "Hi"],
          { ...machine, environment },
        ] as const;
      };
      expect((await run(...send(first, "", one, two))).code).toBe(0);

      // A process has one session for a URL, so that the second machine writes the URL in another way.
      const { value } = await runJson(...send(next, "?sslmode=disable", one));

      expect([value.errorCode, texted()]).toEqual(["DAILY_LIMIT", [one, two]]);
      expect((await runJson(...send(first, "", one))).value.errorCode).toBe("DAILY_LIMIT");
    });
  });
});
