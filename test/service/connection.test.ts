import { expect, it } from "vitest";
import { reusesConnections } from "../../src/service/connection.ts";

it.each([
  [1, false],
  [2_000, false],
  [15_000, false],
  [15_001, true],
  [Infinity, true],
])("a run at %d requests a minute reuses its connections: %j", (perMinute, isReused) => {
  expect(reusesConnections(perMinute)).toBe(isReused);
});
