import { expect, it } from "vitest";
import { wantsColor } from "../src/host.ts";

it.each([
  ["a terminal", true, {}, true],
  ["no terminal", false, {}, false],
  ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, false],
  ["a terminal with an empty NO_COLOR", true, { NO_COLOR: "" }, true],
  ["a dumb terminal", true, { TERM: "dumb" }, false],
  ["no terminal with FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
  ["a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, false],
  ["FORCE_COLOR and NO_COLOR", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("colours on %s: %4$s", (_, isTerminal, environment, wanted) => {
  expect(wantsColor(isTerminal, environment)).toBe(wanted);
});
