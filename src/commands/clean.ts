import { existsSync, realpathSync, statSync } from "node:fs";
import { Command } from "@commander-js/extra-typings";
import { type EndingKind, invalidOption, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { fitted } from "../terminal/layout.ts";
import type { Page, View } from "../terminal/presenter.ts";
import { visible } from "../terminal/redact.ts";
import { countText, plural } from "../words/count.ts";
import { readingText } from "../terminal/text.ts";
import { profileInUse } from "../profiles/resolve.ts";
import { changes, Findings } from "../recipients/clean.ts";
import {
  type Cleaned,
  cleaningFiles,
  type CleaningRequest,
  cleanIntoFiles,
  nextSteps,
} from "../recipients/cleaning.ts";
import type { RejectedRow } from "../recipients/cleaning.ts";
import { openSource } from "../recipients/source.ts";
import type { Context, Runner } from "../terminal/context.ts";
import { sayHowToEnd } from "../terminal/input.ts";
import { read, single } from "./shared/option-values.ts";
import { encodingName } from "./shared/encodings.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { countryOf } from "../profiles/defaults.ts";
import { prompterFor } from "../terminal/prompt.ts";

export function cleanCommand(run: Runner) {
  const clean = cleanOptions().action((file, flags, command) =>
    run(command, (options, context) => cleanList(file, { ...flags, ...options }, context)),
  );
  return withExamples(
    withGlobalOptions(clean, ["profile", "json", "quiet", "input", "yes"]),
    [
      "sms clean customers.xlsx --country KE",
      "sms clean customers.xlsx --country KE --mobile-only -o customers-clean.csv",
    ],
    "Beside OUT.csv, OUT-rejected.csv gets the rows that cannot be used, as they came, with line, reason and suggestion: correct them there, and clean that file. Exit code 11 says that rows were left out.",
  );
}

function cleanOptions() {
  return new Command("clean")
    .summary("make a list of recipients from any spreadsheet or text")
    .description(
      "Read a list of recipients as it came, and show which rows can be used and why the others cannot. Only what leaves no doubt is changed. Nothing is sent.",
    )
    .argument("<file>", "the list in any format; - reads standard input")
    .option("-o, --output <file>", "write the usable rows to this CSV file; - for stdout", read("--output", csvName))
    .option("--mobile-only", "leave out landlines, premium-rate numbers and the like")
    .option("--keep-unassigned", "keep numbers in no range that is known to be in use")
    .option("--sheet <name>", "the sheet of a workbook", single("--sheet"))
    .option("--encoding <name>", "the encoding of a text, such as windows-1252", read("--encoding", encodingName))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .option("--to-column <names>", "the column with the numbers, or several: A,B", single("--to-column"));
}

type CleanFlags = OptionsOf<typeof cleanOptions>;

function csvName(name: string): string {
  if (name === "-" || /[^/\\]\.csv$/i.test(name)) return name;
  throw invalidOption(
    `--output writes CSV, and ${JSON.stringify(name)} does not end in .csv`,
    "give a name such as clean.csv",
  );
}

async function cleanList(file: string, flags: CleanFlags, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const isPiped = flags.output === "-";
  if (isPiped && flags.json) throw invalidOption("--json and -o - are both for standard output", "give a file to -o");
  for (const path of cleaningFiles(flags.output)) await confirmReplacing(path, file, flags, host);
  const profile = profileInUse(host, flags.profile);
  const country = countryOf(flags.country, host.environment, profile);
  if (file === "-") sayHowToEnd("the list", context);
  const source = openSource(file, host, "clean");
  const isTyped = file === "-" && host.stdin.isTerminal();
  const findings = new Findings();
  const request = { ...flags, file, country, countryOption: flags.country, keepsRows: flags.json ?? false };
  const cleaned = await presenter.waitFor(isTyped ? undefined : () => readingText(source, findings.rows), () =>
    cleanIntoFiles(source, request, findings),
  );
  const view = cleanedView(source.name, request, cleaned);
  if (isPiped) {
    // A file may drive the terminal; what reads a pipe needs the cells as they are.
    const records = ({ isTerminal }: Page) => (isTerminal ? cleaned.piped.map(visible) : cleaned.piped);
    const text = (page: Page) => records(page).map((record) => `${record}\n`);
    presenter.show({ json: () => null, quiet: records, text: (page) => text(page).join("") });
    presenter.tell(view.text);
  } else presenter.show(view);
  for (const next of nextSteps(request, cleaned)) presenter.note(`Next: ${next}`);
  return findings.rejected + findings.duplicates > 0 ? "incomplete" : "accepted";
}

/** Asks before a file is replaced. Throws if it may not be, and for the list itself, which is being read. */
async function confirmReplacing(path: string, list: string, flags: CleanFlags, host: Host): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const another = "give another name to --output";
  if (!stats.isFile()) throw usageError("FILE_EXISTS", `${path} is not a file`, another);
  if (list !== "-" && existsSync(list) && realpathSync(list) === realpathSync(path)) {
    throw usageError("FILE_EXISTS", `${path} is the list that is read, or its rejected rows`, another);
  }
  if (flags.yes) return;
  const prompter = prompterFor(host, flags);
  if (prompter === undefined) {
    throw usageError("FILE_EXISTS", `${path} exists already`, `${another}, or --yes to replace it`);
  }
  if (!(await prompter.confirm(`Replace ${path}?`))) throw usageError("DECLINED", "Cancelled; nothing was written.");
}

function rejectedJson({ row, cause, reason, hint, suggestion }: RejectedRow) {
  const text = row.kind === "row" ? row.to : null;
  return { line: row.line, text, reason: cause, detail: reason, hint: hint ?? null, suggestion: suggestion ?? null };
}

/** Shows what was found in a list; `--quiet` prints how many rows can be used. */
function cleanedView(name: string, request: CleaningRequest, cleaned: Cleaned): View {
  const { findings, duplicates, rejected, rejectedOutput } = cleaned;
  const { list } = findings;
  return {
    json: () => ({
      file: name,
      sheet: list.sheet ?? null,
      column: list.columns?.name ?? null,
      rows: findings.rows,
      usable: findings.usable,
      reasons: findings.causes.reasons().map(({ reason, rows: count }) => ({ reason, rows: count })),
      duplicates: duplicates.map(({ line, to, firstLine }) => ({ line, to, firstLine })),
      rejected: rejected.map(rejectedJson),
      changes: findings.changes,
      formulaTexts: list.formulaTexts,
      sameNumber: findings.sameNumber,
      noMobile: findings.noMobile,
      unassigned: findings.unassigned,
      passed: list.passed,
      output: request.output ?? null,
      rejectedOutput: rejectedOutput ?? null,
    }),
    quiet: () => [String(findings.usable)],
    text: (page) => cleanedText(name, request, cleaned, page),
  };
}

function cleanedText(name: string, { output }: CleaningRequest, cleaned: Cleaned, page: Page): string {
  const { findings, rejectedOutput } = cleaned;
  const { list, causes, changes: changed } = findings;
  const line = (text: string, margin = 2) => `${fitted(page, page.foreign(text), [margin, margin + 2])}\n`;
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `\n${heading}\n${lines.join("")}`;
  const counted = (count: number | undefined, words: string, first: readonly string[] = []) =>
    count ? [line(`${countText(count)}  ${words}`), ...first.map((one) => line(one, 6))] : [];
  const kept = (count: number, noun: string, what: string) => (count === 0 ? [] : [line(plural(count, noun) + what)]);
  const sheet = list.sheet === undefined ? "" : `, sheet ${JSON.stringify(list.sheet)}`;
  const column = list.columns === undefined ? "" : ` in column ${JSON.stringify(list.columns.name)}`;
  const hidden = list.hiddenColumns;
  return [
    line(
      `${name}${sheet}: ${plural(findings.rows, "row")}, ${plural(findings.usable - findings.sameNumber, "number")} to send to${column}`,
      0,
    ),
    ...list.passed.map((passed) => line(`Passed over ${passed}`)),
    ...kept(list.hiddenRows, "row", ` that the spreadsheet hides ${list.hiddenRows === 1 ? "is" : "are"} left out`),
    ...(hidden.length === 0 ? [] : [line(`Columns that the spreadsheet hides are left out: ${hidden.join(", ")}`)]),
    section(page.paint.doubtful("Left out"), [
      ...causes.reasons().flatMap(({ words, rows, first }) => counted(rows, words, first)),
      ...counted(findings.duplicates, findings.duplicates === 1 ? "duplicate" : "duplicates", findings.firstDuplicates),
    ]),
    section("Changed", [
      ...counted(list.noValues, "NULL, NaN, None or N/A read as no value"),
      ...counted(list.unusableCells, "#REF! and other errors written as no value"),
      ...counted(list.shortRows, "with fewer cells than the header: the missing ones are empty"),
      ...changes.flatMap(([change, words]) => counted(changed[change], words)),
      ...counted(list.formulaTexts, '="…" read as its text'),
    ]),
    section("Kept", [
      ...kept(findings.sameNumber, "row", " of a number that is on another row, with other columns"),
      ...kept(
        findings.noMobile,
        "number",
        " that may not take texts, such as landlines: --mobile-only leaves them out",
      ),
      ...kept(findings.unassigned, "number", " in no range that is known to be in use"),
    ]),
    section("Written", [
      ...(output === undefined || output === "-" ? [] : [line(`${output}: ${plural(findings.usable, "row")}`)]),
      ...(rejectedOutput === undefined
        ? []
        : [line(`${rejectedOutput}: ${plural(findings.rejected, "row")} to correct`)]),
    ]),
  ].join("");
}
