import { expect, it } from "vitest";
import { newRunName } from "../../src/sending/run/plan.ts";

it.each([
  [0, "20260102-030405-0000"],
  [0.999_999_9, "20260102-030405-zzzz"],
])("a run without a name is named by time and chance %d: %s", (random, name) => {
  expect(newRunName(Date.UTC(2026, 0, 2, 3, 4, 5, 678), random)).toBe(name);
});
