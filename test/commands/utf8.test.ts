import { expect, it } from "vitest";
import { requireUtf8, requireUtf8ToInherit } from "../../src/commands/shared/utf8.ts";
import { sms } from "../support/machine.ts";

const latin1 = (...words: readonly string[]) => Buffer.from(words.map((word) => `${word}\0`).join(""), "latin1");
const utf8 = (...words: readonly string[]) => Buffer.from(words.map((word) => `${word}\0`).join(""));

/** What is said about arguments and variables, where these are their bytes. */
function faultOf(argv: readonly string[], environment: Readonly<Record<string, string>>, bytes?: Buffer) {
  try {
    requireUtf8(argv, { environment, bytesOf: () => bytes });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

it.each([
  [
    ["send", "-m", "caf\uFFFD"],
    latin1("node", "sms", "send", "-m", "caf\xE9"),
    "argument 3, after -m, is not UTF-8 text: caf\\xe9",
  ],
  [
    ["a", "caf\uFFFD", "caf\uFFFD"],
    Buffer.concat([utf8("caf\uFFFD"), latin1("caf\xE9")]),
    "argument 3 is not UTF-8 text: caf\\xe9",
  ],
  [["caf\uFFFD"], undefined, "argument 1 is not UTF-8 text: caf\uFFFD"],
  [["send", "caf\uFFFD"], utf8("a title that NODE_OPTIONS gave"), "argument 2 is not UTF-8 text: caf\uFFFD"],
  [
    ["x".repeat(90) + "\uFFFD"],
    latin1(`${"x".repeat(90)}\xE9`),
    `argument 1 is not UTF-8 text: …${"x".repeat(20)}\\xe9`,
  ],
  [["send", "caf\uFFFD"], utf8("sms", "send", "caf\uFFFD"), undefined],
  [["", "caf\uFFFD", ""], utf8("sms", "", "caf\uFFFD", ""), undefined],
])("the arguments %j are compared with the bytes of the process", (argv, bytes, fault) => {
  expect(faultOf(argv, {}, bytes)).toBe(fault);
});

it.each([
  [{ SMS_ONLY_TO: "\uFFFD" }, undefined, "the variable SMS_ONLY_TO is not UTF-8 text"],
  [{ HOME: "/home/jos\uFFFD" }, latin1("HOME=/home/jos\xE9"), "the variable HOME is not UTF-8 text"],
  [{ https_proxy: "http://\uFFFD" }, undefined, "the variable https_proxy is not UTF-8 text"],
  [{ HOME: "/home/jos\uFFFD" }, utf8("PATH=/bin", "HOME=/home/jos\uFFFD"), undefined],
  [{ OLDPWD: "/home/jos\uFFFD" }, undefined, undefined],
])("the variables %j are compared where sms reads them", (environment, bytes, fault) => {
  expect(faultOf([], environment, bytes)).toBe(fault);
});

it("every variable is compared where a command inherits it", () => {
  const host = { environment: { OLDPWD: "/home/jos\uFFFD" }, bytesOf: () => undefined };
  expect(() => requireUtf8ToInherit(host)).toThrow("the variable OLDPWD is not UTF-8 text, and the command would get");
  expect(() => requireUtf8ToInherit({ ...host, bytesOf: () => utf8("OLDPWD=/home/jos\uFFFD") })).not.toThrow();
});

it("nothing is read from the system for a send without U+FFFD", async () => {
  const bytesOf = () => {
    throw new Error("read");
  };
  const { code } = await sms(["send", "--sandbox", "--to", "+254712345678", "-m", "caf\u00E9"], { bytesOf });
  expect(code).toBe(0);
});

it("U+FFFD in the text of an argument is refused, also where it was typed so", async () => {
  const args = ["send", "--sandbox", "--to", "+254712345678", "-m", "caf\uFFFD"];
  const { code, stderr } = await sms(args, { bytesOf: () => utf8("sms", ...args) });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--message has U+FFFD in place of a character")]);
});
