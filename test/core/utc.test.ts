import * as fc from "fast-check";
import { expect, it } from "vitest";
import { utc } from "../../src/core/utc.ts";
import { seed } from "../support/seed.ts";

it("writes times of four-digit years as toISOString does", () => {
  const times = fc.date({
    min: new Date("0000-01-01"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(times, (time) => {
      expect(utc(time.getTime())).toBe(time.toISOString());
    }),
    { seed },
  );
});
