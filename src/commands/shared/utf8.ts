import { type SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";

/** What Node puts in place of bytes that are not UTF-8, so that two keys of `--once` could become one. */
const replacement = "\uFFFD";

/** The variables that decide what is sent and where, who pays, and where it is recorded. */
const ours =
  /^(SMS_\w+|HOME|USERPROFILE|XDG_(CONFIG|STATE)_HOME|(LOCAL)?APPDATA|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)$/;

type Words = Pick<Host, "bytesOf" | "environment">;

/** Throws a usage error for an argument, or for a variable that sms reads, if its bytes are not UTF-8. */
export function requireUtf8(argv: readonly string[], host: Words): void {
  if (argv.some((word) => word.includes(replacement))) requireArguments(argv, host);
  const variable = replacedVariable(host, (name) => ours.test(name));
  if (variable !== undefined) {
    throw notUtf8(`the variable ${variable} is not UTF-8 text`, "set it to UTF-8, or leave it out");
  }
}

/** Throws a usage error for a variable whose bytes are not UTF-8, since a command would get others. */
export function requireUtf8ToInherit(host: Words): void {
  const variable = replacedVariable(host, () => true);
  if (variable === undefined) return;
  throw notUtf8(
    `the variable ${variable} is not UTF-8 text, and the command would get other bytes`,
    "set it to UTF-8 or leave it out, and set it again in a script that the command runs",
  );
}

function requireArguments(argv: readonly string[], { bytesOf }: Words): void {
  // Node's own arguments come before ours. They are not there if NODE_OPTIONS gave the process a title.
  const given = linesOf(bytesOf("arguments"));
  argv.forEach((word, index) => {
    const bytes = given.at(index - argv.length);
    if (!word.includes(replacement) || bytes === latin1(word)) return;
    const { [index - 1]: before = "" } = argv;
    const place = /^--?[\w-]*$/.test(before) ? `argument ${index + 1}, after ${before},` : `argument ${index + 1}`;
    const isRead = bytes !== undefined && Buffer.from(bytes, "latin1").toString() === word;
    throw notUtf8(
      `${place} is not UTF-8 text: ${shown(isRead ? bytes : word)}`,
      "write it in UTF-8; bytes for a command after -- can stand in a script that it runs",
    );
  });
}

/** Returns the name of the first variable that is meant and was replaced. */
function replacedVariable({ environment, bytesOf }: Words, isMeant: (name: string) => boolean): string | undefined {
  const suspects = Object.keys(environment)
    .filter(isMeant)
    .filter((name) => `${name}${environment[name]}`.includes(replacement));
  if (suspects.length === 0) return undefined;
  const given = linesOf(bytesOf("environment"));
  return suspects.find((name) => !given.includes(latin1(`${name}=${environment[name]}`)));
}

/** Returns the bytes of each word as characters; none where the system does not tell, so that every U+FFFD is refused. */
function linesOf(bytes: Buffer | undefined): readonly string[] {
  return bytes?.toString("latin1").split("\0").slice(0, -1) ?? [];
}

function latin1(word: string): string {
  return Buffer.from(word).toString("latin1");
}

/** Returns the part of a word about its first byte that is not ASCII, as a shell writes bytes in `$'…'`. */
function shown(word: string): string {
  const at = Math.max(0, word.search(/[^ -~]/) - 20);
  const part = word.slice(at, at + 60).replace(/[^ -~\uFFFD]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  return `${at > 0 ? "…" : ""}${part}${at + 60 < word.length ? "…" : ""}`;
}

function notUtf8(message: string, hint: string): SmsError {
  return usageError("NOT_UTF8", message, hint);
}
