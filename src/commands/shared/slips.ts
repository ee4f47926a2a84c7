import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { nearest } from "../../words/nearest.ts";
import { commandCalled } from "../help/pages.ts";
import { nameOf, optionWithValue } from "./options.ts";

/** Words of other tools, behind what they mean here: words of a line, or a sentence. */
type Meanings = Readonly<Record<string, string>>;

export const noLookUp = "the service has no look-up: `sms history --to NUMBER` lists what was sent";
const atOnce = "sms sends at once: cron or `at` starts it later";
const isFile =
  "a group is a file of numbers: --recipients FILE sends to it, and so does --to @NAME in the folder of the groups";

export const optionWords: Meanings = {
  "--sender": "--from --originator",
  "--message": "--body --text --content --msg --txt",
  "--to": "--phone --number --dst --destination --mobile",
  "--recipients": "--file --csv --list --input --contacts --numbers --to-file",
  "--message-file": "--template --text-file --body-file --message-from-file",
  "--base-url": "--url --host --endpoint",
  "--verbose": "--debug --trace",
  "--exclude": "--ignore --except --blocklist --blacklist --suppress --skip",
  "--once": "--idempotency-key --request-id",
  "--limit": "--last --count --max -n",
  "--max-credits": "--limit --budget --max-cost --max-price --max-spend",
  "--run": "--name --campaign --batch --job --job-name",
  "--profile": "--env --environment --account --name",
  "--yes": "--assume-yes --no-confirm --non-interactive --yes-to-all",
  "--no-input": "--no-prompt --no-interactive",
  "--since": "--from --after",
  "--since today": "--today",
  "--by day": "--today --daily",
  "--month": "--since --period",
  "--outcome rejected": "--failed --errors",
  "--outcome": "--status --state",
  "--format csv": "--csv",
  "--to @NAME": "--group",
  "--dry-run": "--simulate --check --preview --noop",
  "--check": "--verify",
  "--retries": "--retry --attempts",
  "--timeout": "--max-time",
  "--rate": "--throttle --speed",
  "--between": "--hours --quiet-hours",
  "--skip-invalid": "--ignore-errors --ignore-invalid --continue-on-error",
  "--country": "--region",
  "--quiet": "--silent",
  "send a file of the first rows: the whole list, sent afterwards, leaves them out": "--first",
  "`sms --version` prints the version, and --verbose shows requests and answers": "-v -vv -vvv",
  "leave it out: a run has as many requests at once as its --rate needs": "--parallel --concurrency",
  "the service reports no delivery: the answer to the request is all that anybody learns":
    "--dlr --callback-url --status-callback",
  "keys are never flags: set SMS_API_KEY, or `sms login` asks": "--api-key --key --token --secret",
  "passwords are never flags: set SMS_EMAIL and SMS_PASSWORD": "--password",
  "results go to standard output: --json prints JSON, and > FILE keeps it": "--output -o",
  "nothing can be forced: at a terminal sms asks": "--force",
  "leave it out: equal texts to one number go once anyway": "--skip-duplicates --dedupe",
  "`sms runs resume NAME` goes on with a run, and so does its own command with the same --run": "--resume --continue",
  "leave it out: only --sandbox sends to a sandbox": "--no-sandbox --no-dry-run",
  "the key decides: --expect test or --expect live sends only with a key of that kind, and --sandbox needs no key":
    "--test --live --test-mode",
  [atOnce]: "--schedule --at --delay",
  "a command comes with it, as in `sms notify --to NUMBER --only failure -- make`": "--only --longer-than",
  "sms makes the request itself: --to has the number, --message the text, and --verbose shows the request":
    "-X -d -H --request --data --header",
};

/** A phrase of two words has a colon. */
export const commandWords: Meanings = {
  send: "msg batch message new:message messages:create messages:send create text broadcast bulk blast publish",
  "send --dry-run": "test estimate simulate dry-run dryrun",
  history: "list ls logs log messages sent outbox",
  spend: "invoice usage cost credits billing spending",
  login: "log:in sign:in auth init config configure setup signin register",
  status: "price whoami account balance info",
  "status --check": "doctor check ping health verify",
  preview: "length count segments",
  "runs list": "campaigns batches jobs",
  "runs resume": "resume continue retry",
  "runs show": "show",
  "runs export": "export",
  "runs close": "cancel stop abort close",
  "optout add": "block unsubscribe blacklist optout:block blacklist:add stop:NUMBER cancel:NUMBER",
  "optout list": "optouts blocklist unsubscribed unsubscribe:list blacklist:list",
  "keys rotate": "rotate",
  "keys list": "auth:token api-key api-keys token",
  "profiles use": "switch use auth:switch",
  "profiles set": "set config:set",
  "profiles list": "settings config:list config:get config:show env envs",
  // There is no other way to make a profile.
  "login --profile": "profiles:add profiles:create profiles:new",
  clean: "dedupe validate import upload convert",
  watch: "tail follow",
  "sandbox messages": "inbox sandbox:logs",
  "sandbox exec --every-fault": "sandbox:test sandbox:prove",
  sandbox: "mock sandbox:start sandbox:run",
  "--version": "version",
  help: "man docs manual",
  [noLookUp]: "lookup get delivery",
  [atOnce]: "schedule",
  [isFile]: "groups group contacts contact lists alias",
  "`sms history` lists what was sent, and `sms spend` sums what it cost": "report reports stats",
  "senders are registered in the dashboard: --sender NAME sends from one, and `sms profiles set sender NAME` always":
    "senders sender",
  "a template is a file: `sms send --recipients FILE --message-file FILE` fills its {{fields}}": "templates template",
  "the dashboard is in your browser, at the address of your account: it has credits, senders and keys":
    "open dashboard topup top-up buy recharge",
  "Ctrl-C stops a run, and `sms runs resume NAME` goes on with it": "pause runs:pause suspend",
  "sms does not update itself: install it again as you did, and `sms --version` prints the version": "upgrade update",
  "what was sent cannot be called back: Ctrl-C stops a run, and `sms runs close NAME` ends it": "undo unsend recall",
  "revoke the key in the dashboard (Settings, API Keys), then `sms keys remove NAME` deletes it here":
    "revoke keys:revoke keys:disable",
};

export const verbWords: Meanings = {
  add: "create new",
  remove: "delete del",
  show: "get view info status logs watch",
  use: "switch select activate set",
  list: "all show check",
  resume: "continue retry restart start rerun",
  close: "cancel stop abort end",
  rotate: "renew replace",
  export: "download",
};

/** A mistyped word must not lead to a deletion, or to the answer to a question that nobody saw. */
const neverSuggested = new Set(["remove", "rm", "logout", "close", "unlock", "--yes", "--unset", "--prune"]);

function meaningsOf(word: string, table: Meanings): readonly string[] {
  return Object.keys(table).filter((meaning) => table[meaning]?.split(" ").includes(word));
}

export function isSentence(meaning: string): boolean {
  return /[:,]/.test(meaning);
}

/** Words for an input, which may be a list or one number. Others may keep people out. */
const inputs = /^(-[a-z]$|--(to|data|file|phone|mobile|dest|rece|reci|contact|customer|bulk|excel|xlsx))/;

/** Of these a file may be a text. */
const textInputs = /^(-[a-qs-z]$|--(data|file))/;

/** Returns the option that an unknown one means, or a sentence. `ofValue` is the option that its value suggests. */
export function optionMeant(word: string, command: CommandUnknownOpts, ofValue: string): string | undefined {
  const ofText = textInputs.test(word) ? ["--message-file"] : [];
  const ofInput = { "--to": ["--to"], "--recipients": ["--recipients", ...ofText] }[ofValue] ?? [];
  const input = inputs.test(word) ? ofInput.find((option) => hasOption(command, option)) : undefined;
  if (input !== undefined) return input;
  const meaning = meaningsOf(word, optionWords).find((meant) => isSentence(meant) || hasOption(command, meant));
  if (meaning !== undefined) return meaning;
  const isNegative = word.startsWith("--no-");
  const names = visibleOptions(command).flatMap(({ long = "" }) =>
    neverSuggested.has(long) || long.startsWith("--no-") !== isNegative ? [] : long,
  );
  return nearest(word, names);
}

/** Returns the option that a bare word names, as in `to=NUMBER` and in JSON. */
export function optionNamed(word: string, command: CommandUnknownOpts): string | undefined {
  if (/^sender(Id(Name)?)?$/.test(word)) return "--sender";
  const meanings = [`--${word}`, ...meaningsOf(`--${word}`, optionWords)];
  return meanings.find((meaning) => optionWithValue(meaning, command) !== undefined);
}

/** Returns what unknown words mean, words of a line or a sentence, and how many words that replaces. */
export function commandMeant(
  [word = "", next = ""]: readonly string[],
  group: CommandUnknownOpts,
): readonly [meaning: string, wordCount: number] | undefined {
  if (group.parent !== null) {
    const near = nearestCommand(word, group);
    const meaning = verbMeant(word, group) ?? (near && `${nameOf(group)} ${near}`);
    return meaning === undefined ? undefined : [meaning, 1];
  }
  const [phrase] = meaningsOf(`${word}:${/^\+?\d{6,}$/.test(next) ? "NUMBER" : next}`, commandWords);
  if (phrase !== undefined) return [phrase, /^\+?\d/.test(next) ? 1 : 2];
  const pair = inGroup(word, next, group) ?? inGroup(next, word, group);
  if (pair !== undefined) return [pair, 2];
  const second = commandCalled(next, group)?.name();
  const [first = nearestCommand(word, group)] = meaningsOf(word, commandWords);
  if (second !== undefined && (first === undefined || !first.includes(" "))) return [second, 2];
  return first === undefined ? undefined : [first, 1];
}

/** As in `key list`, `list keys` and `delete run`. */
function inGroup(noun: string, word: string, program: CommandUnknownOpts): string | undefined {
  const near = nearestCommand(noun, program);
  const group = near === undefined ? undefined : commandCalled(near, program);
  return group && verbMeant(word, group);
}

function verbMeant(word: string, group: CommandUnknownOpts): string | undefined {
  const groupName = nameOf(group);
  const [phrase] = meaningsOf(`${groupName}:${word}`, commandWords);
  const verb = [word, ...meaningsOf(word, verbWords)].flatMap((name) => commandCalled(name, group)?.name() ?? [])[0];
  return phrase ?? (verb && `${groupName} ${verb}`);
}

export function nearestCommand(word: string, group: CommandUnknownOpts): string | undefined {
  return nearest(
    word,
    group.commands.map((command) => command.name()).filter((name) => !neverSuggested.has(name)),
  );
}

export function hasOption(command: CommandUnknownOpts, text: string): boolean {
  const [name] = text.split(" ");
  return visibleOptions(command).some(({ long, short }) => long === name || short === name);
}

function visibleOptions(command: CommandUnknownOpts) {
  return command.createHelp().visibleOptions(command);
}
