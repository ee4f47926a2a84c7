import type { Country } from "../message/number.ts";
import { Command } from "@commander-js/extra-typings";
import { numberKey } from "../message/number-set.ts";
import { type EndingKind, slip, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import type { View } from "../terminal/presenter.ts";
import { countText, plural } from "../words/count.ts";
import { shellWord } from "../words/shell-word.ts";
import { decimalsText, readingText } from "../terminal/text.ts";
import { profileInUse } from "../profiles/resolve.ts";
import { faultOfNumber, readRecipient } from "../recipients/check.ts";
import { explained } from "../recipients/check.ts";
import { ListFacts } from "../recipients/source.ts";
import { readOptOuts } from "../recipients/number-lists.ts";
import type { AddedOptOuts, OptOut } from "../record/opt-outs.ts";
import { openSource } from "../recipients/source.ts";
import { confirmLoss, prompterFor } from "../terminal/prompt.ts";
import type { Context, Runner, GlobalOptions } from "../terminal/context.ts";
import { countryOf } from "../profiles/defaults.ts";
import { namedProfile, recordWords, requireRecord } from "../profiles/record.ts";
import { verb, withExamples, withGlobalOptions } from "./shared/options.ts";
import { sayHowToEnd } from "../terminal/input.ts";
import { listTexts } from "../recipients/list-texts.ts";
import { read, single } from "./shared/option-values.ts";
import { encodingName } from "./shared/encodings.ts";
import { timestamp } from "./shared/times.ts";

export function optoutCommand(run: Runner) {
  const add = verb(
    "add",
    "add numbers that are never sent to",
    "sms optout add +254712345678 --reason STOP",
    'sms optout add "0712 345678" --country KE',
  )
    .description("Add numbers that are never sent to. A number already in the list keeps its date and reason.")
    .argument("<numbers...>", "the numbers")
    .option("--reason <text>", "the reason to note in the list", single("--reason"))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .action((numbers, flags, command) =>
      run(command, async (options, context) => addToOptOuts(numbers, { ...flags, ...options }, context)),
    );
  const remove = verb(
    "remove",
    "allow messages to numbers again",
    "sms optout remove +254712345678",
    "sms optout remove --list unsubscribed.csv",
  )
    .description("Allow messages to numbers again, after a confirmation. --list takes the import of a file back.")
    .argument("[numbers...]", "the numbers")
    .option("--list <file>", "all numbers of a file, whatever stands beside them", single("--list"))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .action((numbers, flags, command) =>
      run(command, async (options, context) => removeFromOptOuts(numbers, { ...flags, ...options }, context)),
    );
  const list = verb(
    "list",
    "list the numbers that are never sent to",
    "sms optout list",
    "sms optout list --json",
  ).action((_, command) => run(command, async ({ profile }, context) => listOptOuts(profile, context)));
  const imported = verb(
    "import",
    "add the numbers of a file",
    "sms optout import unsubscribed.csv",
    "cut -d, -f2 list.csv | sms optout import - --reason STOP",
  )
    .description(
      "Add the numbers of a file of recipients, in any supported format. The columns reason and at (a date) are kept. Every number that can be read is added; exit code 11 says that rows were left out.",
    )
    .argument("<file>", "the file; - reads standard input")
    .option("--reason <text>", "the reason for rows that have none", single("--reason"))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong", single("--to-column"))
    .option("--encoding <name>", "the encoding of a text, such as windows-1252", read("--encoding", encodingName))
    .action((file, flags, command) =>
      run(command, async (options, context) => importOptOuts(file, { ...flags, ...options }, context)),
    );
  const optout = new Command("optout")
    .description(
      "Keep a list of numbers that are never sent to, from this machine or from those that share its record. A run leaves them out; a single message to one is refused.",
    )
    .addCommand(withGlobalOptions(add, ["profile", "json", "quiet"]))
    .addCommand(withGlobalOptions(remove, ["profile", "json", "quiet", "input", "yes"]))
    .addCommand(withGlobalOptions(list, ["profile", "json", "quiet"]))
    .addCommand(withGlobalOptions(imported, ["profile", "json", "quiet", "input", "yes"]));
  return withExamples(optout, ["sms optout add +254712345678 --reason STOP", "sms optout list"]);
}

async function addToOptOuts(
  texts: readonly string[],
  { reason, country, profile }: GlobalOptions & { readonly reason?: string; readonly country?: string },
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  const numbers = await readNumbers(texts, { country, profile }, host);
  const at = timestamp(host);
  const more = numbers.map((to) => ({ to, at, ...(reason !== undefined && { reason }) }));
  const { added, count: optedOut } = await addToList(more, profile, context);
  const { sender } = recordWords(host, namedProfile(host, profile));
  const isNew = new Set(added);
  const already = numbers.filter((to) => !isNew.has(to));
  const lines = [
    ...added.map((to) => `Opted out ${to}: ${sender} does not send to it any more.`),
    ...already.map((to) => `${to} has already opted out.`),
  ];
  presenter.show(doneView({ added, already, optedOut }, ...lines));
}

interface RemoveFlags extends GlobalOptions {
  readonly country?: string;
  readonly list?: string;
}

/** Removes numbers from the opt-outs, after asking. Throws `NOT_OPTED_OUT` for a typed number, or a list, that is not among them. */
async function removeFromOptOuts(texts: readonly string[], options: RemoveFlags, context: Context): Promise<void> {
  const { host, presenter } = context;
  const typed = await readNumbers(texts, options, host);
  const listed = options.list === undefined ? [] : await numbersOfFile(options.list, options, context);
  if (typed.length + listed.length === 0 && options.list === undefined)
    throw slip("NO_RECIPIENT", "there is no number", "for example: `sms optout remove +2547XXXXXXXX`");
  const optOuts = await openOptOuts(host, options.profile);
  const optedOut = await optOuts.numbers();
  const other = typed.find((to) => !optedOut.has(numberKey(to)));
  const numbers = [...new Set([...typed, ...listed.filter((to) => optedOut.has(numberKey(to)))])];
  if (other !== undefined || numbers.length === 0) {
    const who = other ?? `nobody of ${options.list}`;
    throw usageError(
      "NOT_OPTED_OUT",
      `${who} has ${other === undefined ? "" : "not "}opted out`,
      "`sms optout list` shows who has",
    );
  }
  const { of } = recordWords(host, namedProfile(host, options.profile));
  await confirmLoss(`Allow messages${of} to ${firstOf(numbers)} again?`, options, host);
  await presenter.waitFor(changing, () => optOuts.remove(numbers));
  const lines = numbers.length > mostShown ? [] : numbers.map((to) => `${to} can get messages again.`);
  const rest = `${plural(numbers.length, "number")} can get messages again.`;
  presenter.show(doneView({ removed: numbers }, ...(lines.length > 0 ? lines : [rest])));
}

/** Numbers of which each has a line of its own, and numbers that are imported without a question. */
const mostShown = 100;

/** Returns numbers in words, the first three by name. */
function firstOf(numbers: readonly string[]): string {
  if (numbers.length < 3) return numbers.join(" and ");
  return `${plural(numbers.length, "number")} (${numbers.slice(0, 3).join(", ")}${numbers.length > 3 ? " …" : ""})`;
}

async function numbersOfFile(file: string, flags: NumberFlags, context: Context): Promise<readonly string[]> {
  const { rows } = await readOptOuts(openSource(file, context.host, "--list"), {
    country: countryFor(flags, context.host),
    reason: undefined,
    at: timestamp(context.host),
  });
  return rows.map(({ to }) => to);
}

async function listOptOuts(profile: string | undefined, { host, presenter }: Context): Promise<void> {
  const list = await (await openOptOuts(host, profile)).list();
  presenter.show(optOutsView(list));
  if (list.length === 0) presenter.note("Nobody has opted out: `sms optout add NUMBER` adds a number.");
}

interface ImportFlags extends GlobalOptions {
  readonly country?: string;
  readonly reason?: string;
  readonly toColumn?: string;
  readonly encoding?: string;
}

/** Adds every number of a file that can be read to the opt-outs. */
async function importOptOuts(file: string, flags: ImportFlags, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { reason, toColumn, encoding, country, profile } = flags;
  // Before anyone types numbers that cannot be stored.
  await openOptOuts(host, profile);
  if (file === "-") sayHowToEnd("the numbers", context);
  const source = openSource(file, host, "optout import");
  const options = {
    country: countryFor({ country, profile }, host),
    toColumn,
    encoding,
    reason,
    at: timestamp(host),
    facts: new ListFacts(),
  };
  const isTyped = file === "-" && host.stdin.isTerminal();
  const { rows, duplicates, invalid, decimals, undated, leftOut } = await presenter.waitFor(
    isTyped ? undefined : () => readingText(source),
    () => readOptOuts(source, options),
  );
  await confirmImport(rows, flags, host);
  const { added: numbers, count: optedOut } = await addToList(rows, profile, context);
  const added = numbers.length;
  for (const text of listTexts(options.facts, "read too")) presenter.warn(text);
  if (undated > 0)
    presenter.warn(
      `${plural(undated, "row")} with another date than 2026-01-31 ${undated === 1 ? "has" : "have"} today's`,
    );
  if (decimals > 0) presenter.warn(decimalsText(decimals));
  for (const row of leftOut) presenter.warn(`left out ${row}`);
  const more = invalid - leftOut.length;
  const rest = `${countText(more)} more: \`sms clean ${file === "-" ? "FILE" : shellWord(file)} --json\` lists them`;
  if (more > 0) presenter.warn(`left out ${rest}`);
  const already = rows.length - added;
  const counts = { added, already, duplicates, invalid, optedOut };
  const others = [
    [already, "had already opted out"],
    [duplicates, "more than once in the file"],
    [invalid, "left out"],
  ] as const;
  const words = others.filter(([count]) => count > 0).map(([count, what]) => `, ${countText(count)} ${what}`);
  presenter.show(doneView(counts, `Added ${plural(added, "number")} of ${source.name}${words.join("")}.`));
  return invalid > 0 ? "incomplete" : "accepted";
}

/** Asks before many numbers are added: a wrong file would opt out everybody in it. */
async function confirmImport(rows: readonly OptOut[], flags: ImportFlags, host: Host): Promise<void> {
  const prompter = rows.length > mostShown && !flags.yes ? prompterFor(host, flags) : undefined;
  if (prompter === undefined) return;
  const isWanted = await prompter.confirm(`Never send to ${firstOf(rows.map(({ to }) => to))} any more?`);
  if (!isWanted) throw usageError("DECLINED", "Cancelled; nothing was added.");
}

const changing = "Waiting to change the opt-outs";

async function addToList(
  more: readonly OptOut[],
  profile: string | undefined,
  { host, presenter }: Context,
): Promise<AddedOptOuts> {
  const optOuts = await openOptOuts(host, profile);
  return presenter.waitFor(changing, () => optOuts.add(more));
}

function openOptOuts(host: Host, profile: string | undefined) {
  return requireRecord(host, "opt-outs", namedProfile(host, profile)).optOuts();
}

interface NumberFlags {
  readonly country?: string;
  readonly profile?: string;
}

/** Returns the country of numbers without +, from the flag, the environment or the profile. */
function countryFor({ country, profile }: NumberFlags, host: Host): Country | undefined {
  return countryOf(country, host.environment, profileInUse(host, profile));
}

/** Returns numbers in E.164, each once. Throws a usage error for the first that cannot be read. */
export async function readNumbers(
  texts: readonly string[],
  flags: NumberFlags,
  host: Host,
): Promise<readonly string[]> {
  const country = countryFor(flags, host);
  const numbers = new Set<string>();
  for (const to of texts) {
    const row = { kind: "row", line: 1, to, isTyped: true, fields: {} } as const;
    const number = readRecipient(row, country);
    if (number.kind === "refused") {
      const fault = await explained(faultOfNumber(row, number, country));
      throw usageError("INVALID_NUMBER", fault.reason, fault.hint);
    }
    numbers.add(number.e164);
  }
  return [...numbers];
}

function optOutsView(list: readonly OptOut[]): View {
  return {
    json: ({ redacted }) =>
      list.map(({ to, at, reason }) => ({ to, at, reason: reason === undefined ? null : redacted(reason) })),
    quiet: () => list.map(({ to }) => to),
    text: (page) => {
      if (list.length === 0) return "";
      const rows = list.map(({ to, at, reason = "" }) => [to, at.slice(0, 10), page.foreign(reason)]);
      return listingText(page, [["NUMBER", "SINCE", "REASON"], ...rows]);
    },
  };
}
