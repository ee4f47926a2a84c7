import { type EndingKind, slip } from "../errors.ts";
import type { Host } from "../host.ts";
import { countryFor } from "../profiles/defaults.ts";
import { namedProfile, recordWords, requireRecord } from "../profiles/record.ts";
import { optedOutOf, readOptOuts, readTypedNumbers } from "../recipients/number-lists.ts";
import { openSource } from "../recipients/source.ts";
import { UnassignedNumbers } from "../recipients/unassigned.ts";
import type { OptOut } from "../record/opt-outs.ts";
import type { OptionsReadBy } from "../sending/options.ts";
import type { Context, GlobalOptions, Perform, View } from "../terminal/context.ts";
import { sayHowToEnd } from "../terminal/input.ts";
import { doneView, listingText } from "../terminal/layout.ts";
import { confirmLoss, prompterFor } from "../terminal/prompt.ts";
import { readingText } from "../terminal/reading-text.ts";
import { countText, plural } from "../words/count.ts";
import { askingGlobals, newGroup, verb, withOptions, usualGlobals } from "./shared/options.ts";

export function optoutCommand(perform: Perform) {
  return newGroup(
    "optout",
    "Keep a list of numbers that are never sent to, from this machine or from those that share its record. A run leaves them out; a single message to one is refused.",
    "sms optout add +254712345678 --reason STOP",
    "sms optout list",
  )
    .addCommand(
      withOptions(
        verb(
          "add",
          "add numbers that are never sent to",
          "done",
          usualGlobals,
          "sms optout add +254712345678 --reason STOP",
          'sms optout add "0712 345678" --country KE',
        ),
        "optout add",
      )
        .description("Add numbers that are never sent to. A number already in the list keeps its date and reason.")
        .argument("<numbers...>", "the numbers")
        .option("--reason <text>", "the reason to note in the list")
        .action((numbers, _, command) => perform(command, (options, context) => optOut(numbers, options, context))),
    )
    .addCommand(
      withOptions(
        verb(
          "remove",
          "allow messages to numbers again",
          "done",
          askingGlobals,
          "sms optout remove +254712345678",
          "sms optout remove --list unsubscribed.csv",
        ),
        "optout remove",
      )
        .description("Allow messages to numbers again, once confirmed. Exit code 11 says that rows were left out.")
        .argument("[numbers...]", "the numbers")
        .option("--list <file>", "take the import of a file back: every number in it")
        .action((numbers, _, command) => perform(command, (options, context) => allowAgain(numbers, options, context))),
    )
    .addCommand(
      verb(
        "list",
        "list the numbers that are never sent to",
        "list",
        usualGlobals,
        "sms optout list",
        "sms optout list --json",
      ).action((_, command) => perform(command, ({ profile }, context) => listOptOuts(profile, context))),
    )
    .addCommand(
      withOptions(
        verb(
          "import",
          "add the numbers of a file",
          "done",
          askingGlobals,
          "sms optout import unsubscribed.csv",
          "cut -d, -f2 list.csv | sms optout import - --reason STOP",
        ),
        "optout import",
      )
        .description(
          "Add the numbers of a file of recipients, in any supported format. The columns reason and at (a date) are kept. Every number that can be read is added; exit code 11 says that rows were left out.",
        )
        .argument("<file>", "the file; - reads standard input")
        .option("--reason <text>", "the reason for rows that have none")
        .action((file, _, command) => perform(command, (options, context) => importOptOuts(file, options, context))),
    );
}

interface Flags extends GlobalOptions, OptionsReadBy<"optout import"> {
  readonly reason?: string;
  readonly list?: string;
}

async function optOut(texts: readonly string[], flags: Flags, { host, presenter }: Context): Promise<void> {
  const { reason, profile } = flags;
  const unassigned = new UnassignedNumbers();
  const numbers = await readTypedNumbers(texts, countryFor(flags, host), unassigned);
  const optOuts = await openOptOuts(host, profile);
  const more = numbers.map((to) => ({ to, at: timestamp(host), reason }));
  const { added, count: optedOut } = await presenter.waitFor(changing, () => optOuts.add(more));
  const { sender } = recordWords(host, namedProfile(host, profile));
  const already = numbers.filter((to) => !added.includes(to));
  const lines = [
    ...added.map((to) => `Opted out ${to}: ${sender} does not send to it any more.`),
    ...already.map((to) => `${to} has already opted out.`),
  ];
  for (const text of unassigned.texts()) presenter.warn(text);
  presenter.show(doneView({ added, already, optedOut }, ...lines));
}

async function allowAgain(texts: readonly string[], flags: Flags, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { list, profile } = flags;
  const country = countryFor(flags, host);
  const ofLine = await readTypedNumbers(texts, country);
  if (ofLine.length === 0 && list === undefined)
    throw slip("NO_RECIPIENT", "there is no number", "for example: `sms optout remove +2547XXXXXXXX`");
  const source = list === undefined ? undefined : openSource(list, host, "--list");
  const { rows, invalid, warnings } =
    source === undefined ? { rows: [], invalid: 0, warnings: [] } : await readOptOuts(source, { country }, false);
  const optOuts = await openOptOuts(host, profile);
  const ofList = { name: list ?? "", numbers: rows.map(({ to }) => to) };
  const numbers = optedOutOf(ofLine, ofList, await optOuts.numbers());
  const { of } = recordWords(host, namedProfile(host, profile));
  await confirmLoss(`Allow messages${of} to ${firstOf(numbers)} again?`, flags, host);
  await presenter.waitFor(changing, () => optOuts.remove(numbers));
  for (const text of warnings) presenter.warn(text);
  const whom = numbers.length > mostShown ? [plural(numbers.length, "number")] : numbers;
  presenter.show(doneView({ removed: numbers, invalid }, ...whom.map((to) => `${to} can get messages again.`)));
  return invalid > 0 ? "incomplete" : "accepted";
}

/** Numbers of which each has a line of its own, and numbers that are imported without a question. */
const mostShown = 100;

function firstOf(numbers: readonly string[]): string {
  if (numbers.length < 3) return numbers.join(" and ");
  return `${plural(numbers.length, "number")} (${numbers.slice(0, 3).join(", ")}${numbers.length > 3 ? " …" : ""})`;
}

async function listOptOuts(profile: string | undefined, { host, presenter }: Context): Promise<void> {
  const list = await (await openOptOuts(host, profile)).list();
  presenter.show(optOutsView(list));
  if (list.length === 0) presenter.note("Nobody has opted out: `sms optout add NUMBER` adds a number.");
}

async function importOptOuts(file: string, flags: Flags, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { reason, format, toColumn, sheet, encoding } = flags;
  // Before anyone types numbers that cannot be stored.
  const optOuts = await openOptOuts(host, flags.profile);
  if (file === "-") sayHowToEnd("the numbers", context);
  const source = openSource(file, host, "optout import");
  const options = { country: countryFor(flags, host), format, toColumn, sheet, encoding };
  const isAtTerminal = file === "-" && host.stdin.isTerminal();
  const wait = isAtTerminal ? undefined : () => readingText(source);
  const { rows, duplicates, invalid, warnings } = await presenter.waitFor(wait, () => readOptOuts(source, options));
  await confirmImport(rows, flags, host);
  const more = rows.map((row) => ({ to: row.to, at: row.at ?? timestamp(host), reason: row.reason ?? reason }));
  const { added, count: optedOut } = await presenter.waitFor(changing, () => optOuts.add(more));
  for (const text of warnings) presenter.warn(text);
  const counts = { added: added.length, already: rows.length - added.length, duplicates, invalid, optedOut };
  const others = [
    [counts.already, "had already opted out"],
    [duplicates, "more than once in the file"],
    [invalid, "left out"],
  ] as const;
  const words = others.filter(([count]) => count > 0).map(([count, what]) => `, ${countText(count)} ${what}`);
  presenter.show(doneView(counts, `Added ${plural(counts.added, "number")} of ${source.name}${words.join("")}.`));
  return invalid > 0 ? "incomplete" : "accepted";
}

/** Asks before many numbers are added: a wrong file would opt out everybody in it. */
async function confirmImport(rows: readonly Pick<OptOut, "to">[], flags: Flags, host: Host): Promise<void> {
  const prompter = rows.length > mostShown && !flags.yes ? prompterFor(host, flags, "added") : undefined;
  await prompter?.confirm(`Never send to ${firstOf(rows.map(({ to }) => to))} any more?`);
}

const changing = "Waiting to change the opt-outs";

async function openOptOuts(host: Host, profile: string | undefined) {
  return (await requireRecord(host, "opt-outs", namedProfile(host, profile))).optOuts();
}

function optOutsView(list: readonly OptOut[]): View {
  return {
    json: ({ redact }) =>
      list.map(({ to, at, reason }) => ({ to, at, reason: reason === undefined ? null : redact(reason) })),
    quiet: () => list.map(({ to }) => to),
    text: (page) => {
      const rows = list.map(({ to, at, reason = "" }) => [to, at.slice(0, 10), page.foreign(reason)]);
      return listingText(page, [["NUMBER", "SINCE", "REASON"], ...rows]);
    },
  };
}

function timestamp({ now }: Host): string {
  return new Date(now()).toISOString();
}
