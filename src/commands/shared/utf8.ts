import { slip } from "../../errors.ts";
import type { Host } from "../../host.ts";

/** Node puts this in place of bytes that are not UTF-8, so that two keys of `--once` could become one. */
const replacement = "\uFFFD";

/** The variables that decide what is sent and where, who pays, and where it is recorded. */
const ours =
  /^(SMS_\w+|HOME|USERPROFILE|XDG_(CONFIG|STATE)_HOME|(LOCAL)?APPDATA|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)$/;

export function requireUtf8(argv: readonly string[], environment: Host["environment"]): void {
  const index = argv.findIndex((word) => word.includes(replacement));
  if (index >= 0) {
    const { [index - 1]: before = "" } = argv;
    const place = /^--?[\w-]*$/.test(before) ? `argument ${index + 1}, after ${before},` : `argument ${index + 1}`;
    const hint = "write it in UTF-8; bytes for a command after -- can stand in a script that it runs";
    throw slip("NOT_UTF8", `${place} is not UTF-8 text`, hint);
  }
  const entry = Object.entries(environment).find(
    ([name, value]) => ours.test(name) && value?.includes(replacement) === true,
  );
  if (entry === undefined) return;
  throw slip("NOT_UTF8", `the variable ${entry[0]} is not UTF-8 text`, "set it to UTF-8, or leave it out");
}
