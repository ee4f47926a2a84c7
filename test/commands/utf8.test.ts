import { expect, it } from "vitest";
import { requireUtf8 } from "../../src/commands/program.ts";

it.each([
  [["send", "-m", "caf\uFFFD"], {}, "argument 3, after -m, is not UTF-8 text"],
  [["send", "--once=\uFFFD"], {}, "argument 2 is not UTF-8 text"],
  [["caf\u00E9", "\uFFFD"], {}, "argument 2 is not UTF-8 text"],
  [[], { SMS_ONLY_TO: "\uFFFD" }, "the variable SMS_ONLY_TO is not UTF-8 text"],
  [[], { HOME: "/home/jos\uFFFD" }, "the variable HOME is not UTF-8 text"],
  [[], { https_proxy: "http://\uFFFD" }, "the variable https_proxy is not UTF-8 text"],
])("the arguments %j and the variables %j are refused", (argv, environment, fault) => {
  expect(() => requireUtf8(argv, environment)).toThrow(fault);
});
