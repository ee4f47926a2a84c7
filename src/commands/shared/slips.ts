import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { nearest } from "../../words/nearest.ts";
import { commandCalled } from "../help/pages.ts";
import { nameOf } from "./options.ts";

/** The words of other tools, behind what they mean here: an option, a command, or a sentence. */
export const meanings: Readonly<Record<string, string>> = {
  "--sender": "--from",
  "--message": "--body --text --content --msg",
  "--to": "--phone --number --dst",
  "--recipients": "--file --csv",
  "--base-url": "--url --host",
  "--verbose": "--debug",
  "--exclude": "--ignore",
  "--once": "--idempotency-key",
  "--limit": "--last",
  "send a file of the first rows: the whole list, sent afterwards, leaves them out": "--first",
  "`sms --version` prints the version, and --verbose shows requests and answers": "-v",
  "keys are never flags: set SMS_API_KEY, or `sms login` asks": "--api-key --key --token --secret",
  "passwords are never flags: set SMS_EMAIL and SMS_PASSWORD": "--password",
  "results go to standard output: --json prints JSON, and > FILE keeps it": "--output -o",
  "nothing can be forced: at a terminal sms asks": "--force",
  "the key decides: --expect test or --expect live sends only with a key of that kind, and --sandbox needs no key":
    "--test --live",
  "sms sends at once: cron or `at` starts it later": "--schedule --at",
  "a command comes with it, as in `sms notify --to NUMBER --only failure -- make`": "--only --longer-than",
  "the service has no look-up: `sms history --to NUMBER` lists what was sent": "lookup get",
  send: "message create",
  history: "list ls logs messages",
  login: "auth init config configure",
  status: "whoami account balance",
  "status --check": "doctor check",
  preview: "count",
  "optout add": "block",
  "profiles use": "switch",
  "profiles set": "set",
  "--version": "version",
};

/** The verbs of the groups, before other words for them. */
export const verbs: Readonly<Record<string, string>> = {
  add: "create new",
  remove: "delete",
  show: "get view",
  use: "switch",
};

/** A mistyped word must not lead to a deletion, or to the answer to a question that nobody saw. */
const neverSuggested = new Set(["remove", "rm", "logout", "close", "unlock", "--yes", "--unset", "--prune"]);

function meaningOf(word: string, table = meanings): string | undefined {
  return Object.keys(table).find((meaning) => table[meaning]?.split(" ").includes(word));
}

export function isSentence(meaning: string): boolean {
  return /[:,]/.test(meaning);
}

/** Returns the option that an unknown one means, or a sentence. */
export function optionMeant(word: string, command: CommandUnknownOpts): string | undefined {
  const meaning = meaningOf(word);
  if (meaning !== undefined && (isSentence(meaning) || hasOption(command, meaning))) return meaning;
  const names = visibleOptions(command).flatMap(({ long = "" }) => (neverSuggested.has(long) ? [] : long));
  return nearest(word, names);
}

/** Returns the command that unknown words mean, from the first of them, and how many words that replaces. */
export function commandMeant(
  [word = "", next = ""]: readonly string[],
  group: CommandUnknownOpts,
): readonly [command: string, wordCount: number] | undefined {
  const names = group.commands.map((command) => command.name()).filter((name) => !neverSuggested.has(name));
  const near = nearest(word, names);
  if (group.parent !== null) {
    // There is no other way to make a profile.
    if (nameOf(group) === "profiles" && ["add", "create", "new"].includes(word)) return ["login --profile", 1];
    const meaning = meaningOf(word, verbs) ?? "";
    const verb = commandCalled(meaning, group) === undefined ? near : meaning;
    return verb === undefined ? undefined : [`${nameOf(group)} ${verb}`, 1];
  }
  const nearGroup = near === undefined ? undefined : commandCalled(near, group);
  if (near !== undefined && nearGroup && commandCalled(next, nearGroup)) return [near, 1];
  const second = commandCalled(next, group)?.name() ?? meaningOf(next);
  if (second !== undefined && !/^-|[:,]/.test(second)) return [second, 2];
  const first = meaningOf(word) ?? near;
  return first === undefined ? undefined : [first, 1];
}

export function hasOption(command: CommandUnknownOpts, text: string): boolean {
  const [name] = text.split(" ");
  return visibleOptions(command).some(({ long, short }) => long === name || short === name);
}

function visibleOptions(command: CommandUnknownOpts) {
  return command.createHelp().visibleOptions(command);
}
