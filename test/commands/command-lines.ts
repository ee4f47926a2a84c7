import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Machine } from "../support/machine.ts";
import { numbers } from "./with-runs.ts";

/** A command line that works in the folder of `global-options.test.ts`, as a command's name and its other words. */
export interface CommandLine extends Machine {
  readonly command: string;
  readonly words: readonly string[];
  /** The value of `--profile` that makes a difference, if `shop` does not. */
  readonly profile?: string;
  /** Words that make the command prompt at a terminal, if `words` do not. */
  readonly prompting?: readonly string[];
}

const to = ["--to", "+254712345678", "--message", "Hi"];
const limits = ["--max-credits", "9", "--rate", "2000"];
const account = { environment: { SMS_PROFILE: "account" } };

/** A file that `sms clean` may replace. */
export const existingList = join(tmpdir(), `sms-options-${process.pid}.csv`);

/** More than an import takes without a question. */
const manyNumbers = Array.from({ length: 101 }, (_, index) => `+25471234${5671 + index}`).join("\n");

/** At least one line for each command. `url` is where a sandbox listens; `hasDatabase` is whether there is a record of a team. */
export function commandLines(url: string, hasDatabase: boolean): readonly CommandLine[] {
  return [
    { command: "record", words: [], profile: "team" },
    ...(hasDatabase ? [{ command: "record init", words: [], environment: { SMS_PROFILE: "team" } }] : []),
    { command: "send", words: to },
    {
      command: "send",
      words: [...to, "--to", "+254712345679", "--run", "news", ...limits],
      // Up to 10 that are typed need no question.
      prompting: [...to, "--rate", "60000", ...numbers(10).flatMap((number) => ["--to", number])],
    },
    {
      command: "notify",
      words: ["--to", "+254712345678", "--", process.execPath, "-e", "0"],
      prompting: ["--to", "+254999999999", "--", process.execPath, "-e", "0"],
    },
    { command: "watch", words: ["--to", "+254712345678"], stdin: "ERROR x\n" },
    { command: "preview", words: ["--message", "Hi"] },
    { command: "clean", words: ["-"], prompting: ["-", "-o", existingList], stdin: "+254712345678\n0712345679\n" },
    { command: "runs list", words: [], profile: "team" },
    { command: "runs show", words: ["topup"], profile: "team" },
    { command: "runs resume", words: ["topup", "--retry", "uncertain", ...limits] },
    { command: "runs export", words: ["topup"], profile: "team" },
    { command: "runs close", words: ["topup"], profile: "team" },
    { command: "runs remove", words: ["topup", "--yes"], prompting: ["topup"], profile: "team" },
    { command: "runs unlock", words: ["locked", "--yes"], prompting: ["locked"], profile: "team" },
    { command: "history", words: [] },
    { command: "history", words: ["--prune", "90d"] },
    { command: "spend", words: [], profile: "none" },
    ...["fresh", "moving"].map((profile) => ({
      command: "login",
      words: ["--base-url", url, "--with-key", ...(profile === "moving" ? ["--yes"] : [])],
      prompting: ["--base-url", url],
      environment: { SMS_PROFILE: profile },
      stdin: "sk_live_sandbox",
    })),
    { command: "logout", words: ["--yes"], prompting: [] },
    { command: "status", words: [] },
    { command: "keys list", words: [] },
    { command: "keys add", words: ["new"], ...account, stdin: "sk_live_sandbox" },
    { command: "keys use", words: ["spare"], ...account },
    { command: "keys rename", words: ["spare", "other"] },
    { command: "keys rotate", words: ["spare"], ...account, stdin: "sk_live_sandbox" },
    { command: "keys remove", words: ["spare", "--yes"], prompting: ["spare"] },
    { command: "profiles list", words: [] },
    { command: "profiles set", words: ["sender", "ACME"] },
    { command: "profiles rename", words: ["moving", "new"] },
    { command: "profiles use", words: ["shop"] },
    { command: "profiles remove", words: ["shop", "--yes"], prompting: ["shop"] },
    { command: "optout add", words: ["+254712345670", "--reason", "STOP"], profile: "team" },
    { command: "optout import", words: ["-"], stdin: manyNumbers, profile: "team" },
    { command: "optout list", words: [], profile: "team" },
    { command: "optout remove", words: ["+254712345672", "--yes"], prompting: ["+254712345672"], profile: "team" },
    { command: "sandbox", words: ["--port", "0"], isStopped: true },
    { command: "sandbox messages", words: [], profile: "moving" },
    { command: "sandbox exec", words: ["--", process.execPath, "-e", "0"] },
    { command: "completion bash", words: [] },
    { command: "completion zsh", words: [] },
    { command: "completion fish", words: [] },
    { command: "completion candidates", words: ["--", "s"] },
    { command: "help", words: [] },
  ];
}
