import { existsSync, realpathSync, statSync } from "node:fs";
import { Command } from "@commander-js/extra-typings";
import { type EndingKind, invalidOption, usageError } from "../errors.ts";
import { newFile, removeFile } from "../files/durable.ts";
import { shellWord } from "../words/shell-word.ts";
import type { Host } from "../host.ts";
import { fitted } from "../terminal/layout.ts";
import type { Page, View } from "../terminal/presenter.ts";
import { escapeUnit, visible } from "../terminal/redact.ts";
import { countText, plural } from "../words/count.ts";
import { readingText } from "../terminal/text.ts";
import { chooseProfile } from "../profiles/resolve.ts";
import { changes, cleanRows, type CleanRow, Findings } from "../recipients/clean.ts";
import { cleanWriter } from "../recipients/clean-columns.ts";
import { lineText } from "../recipients/row.ts";
import { openSource } from "../recipients/source.ts";
import type { Context, Run } from "../terminal/context.ts";
import { sayHowToEnd } from "../terminal/input.ts";
import { encodingName, read, single } from "./shared/option-values.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { countryOf, sendDefaults } from "../profiles/defaults.ts";
import { prompterFor } from "../terminal/prompt.ts";

export function cleanCommand(run: Run) {
  const clean = cleanOptions().action((file, flags, command) =>
    run(command, (options, context) => cleanList(file, { ...flags, ...options }, context)),
  );
  return withExamples(
    withGlobalOptions(clean, ["profile", "json", "quiet", "input", "yes"]),
    [
      "sms clean customers.xlsx --country KE",
      "sms clean customers.xlsx --country KE --mobile-only -o customers-clean.csv",
      "sms clean customers-clean-rejected.csv --country KE -o customers-clean-2.csv",
    ],
    "Beside OUT.csv, OUT-rejected.csv gets the rows that cannot be used, as they came, with line and reason: correct them there, and clean that file. Exit code 11 says that rows were left out.",
  );
}

function cleanOptions() {
  return new Command("clean")
    .description(
      "Read a list of recipients as it came, and show which rows can be used and why the others cannot. Only what leaves no doubt is changed. Nothing is sent.",
    )
    .argument("<file>", "the list in any format; - reads standard input")
    .option("-o, --output <file>", "write the usable rows to this CSV file; - for stdout", read("--output", csvName))
    .option("--mobile-only", "leave out landlines, and numbers of no known range")
    .option("--sheet <name>", "the sheet of a workbook", single("--sheet"))
    .option("--encoding <name>", "the encoding of a text, such as windows-1252", read("--encoding", encodingName))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong", single("--to-column"));
}

type CleanOptions = OptionsOf<typeof cleanOptions>;

/** The options with the file that is written; undefined for standard output. */
type FileOptions = Omit<CleanOptions, "output"> & { readonly output: string | undefined };

type Named = { readonly [Name in keyof CleanOptions]?: CleanOptions[Name] | undefined };

function csvName(name: string): string {
  if (name === "-" || /[^/\\]\.csv$/i.test(name)) return name;
  throw invalidOption(
    `--output writes CSV, and ${JSON.stringify(name)} does not end in .csv`,
    "give a name such as clean.csv",
  );
}

/** What drives a terminal that shows the file; line ends, tabs and the marks of right-to-left text are of the row. */
const controls = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

type RejectedRow = Extract<CleanRow, { kind: "rejected" }>;

interface Cleaned {
  /** As it was typed. */
  readonly file: string;
  readonly options: FileOptions;
  readonly findings: Findings;
  /** The file with the rejected rows; undefined if there is none. */
  readonly rejectedOutput: string | undefined;
  /** Rows that were left out, for `--json` alone. */
  readonly duplicates: readonly unknown[];
  readonly rejected: readonly RejectedRow[];
}

async function cleanList(file: string, options: CleanOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { json } = options;
  const isPiped = options.output === "-";
  if (isPiped && json) throw invalidOption("--json and -o - are both for standard output", "give a file to -o");
  const output = isPiped ? undefined : options.output;
  const rejectedPath = output?.replace(/\.csv$/i, "-rejected.csv");
  const paths = [output, rejectedPath].filter((path) => path !== undefined);
  for (const path of paths) await confirmReplacing({ path, list: file }, options, host);
  const { profile } = chooseProfile(host, options.profile);
  const country = countryOf(options.country, sendDefaults(host.environment, profile));
  if (file === "-") sayHowToEnd("the list", context);
  const source = openSource(file, host, "clean");
  const isTyped = file === "-" && host.stdin.isTerminal();
  const findings = new Findings();
  const files = paths.map((path) => newFile(path, 0o600));
  const [usable, rejectedFile] = files;
  const writer = cleanWriter(
    {
      usable: (record) => (isPiped ? piped.push(record) : usable?.write(`${record}\n`)),
      rejected: (record) => rejectedFile?.write(`${record.replace(controls, escapeUnit)}\n`),
    },
    findings.list,
  );
  const piped: string[] = [];
  const duplicates: unknown[] = [];
  const rejected: RejectedRow[] = [];
  const readAll = async () => {
    for await (const row of cleanRows(source, { ...options, country }, findings)) {
      if (options.output !== undefined) writer.add(row);
      if (!json) continue;
      if (row.kind === "duplicate") duplicates.push({ line: row.row.line, to: row.to, firstLine: row.firstLine });
      if (row.kind === "rejected") rejected.push(row);
    }
    if (options.output !== undefined) writer.end((options.toColumn ?? "to").trim().toLowerCase());
  };
  try {
    await presenter.waitFor(isTyped ? undefined : () => readingText(source, findings.rows), readAll);
    if (findings.numbers === 0) throw noneUsable(file, { ...options, output }, { findings, rejected });
    // The rows to be corrected come first: a kill between the two files loses none.
    if (findings.rejected > 0) rejectedFile?.commit();
    usable?.commit();
    if (findings.rejected === 0 && rejectedPath !== undefined) removeFile(rejectedPath);
  } finally {
    for (const written of files) written.discard();
  }
  const rejectedOutput = findings.rejected > 0 ? rejectedPath : undefined;
  const cleaned = { file, options: { ...options, output }, findings, rejectedOutput, duplicates, rejected };
  const view = cleanedView(cleaned, source.name);
  if (isPiped) {
    // A file may drive the terminal; what reads a pipe needs the cells as they are.
    const records = ({ isTerminal }: Page) => (isTerminal ? piped.map(visible) : piped);
    const text = (page: Page) => records(page).map((record) => `${record}\n`);
    presenter.show({ json: () => null, quiet: records, text: (page) => text(page).join("") });
    presenter.tell(view.text);
  } else presenter.show(view);
  for (const next of isPiped ? [] : nextSteps(cleaned)) presenter.note(`Next: ${next}`);
  return findings.rejected + findings.duplicates > 0 ? "incomplete" : "accepted";
}

/** Asks before a file is replaced. Throws if it may not be, and for the list itself, which is being read. */
async function confirmReplacing(
  { path, list }: { readonly path: string; readonly list: string },
  options: CleanOptions,
  host: Host,
): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const another = "give another name to --output";
  if (!stats.isFile()) throw usageError("FILE_EXISTS", `${path} is not a file`, another);
  if (list !== "-" && existsSync(list) && realpathSync(list) === realpathSync(path)) {
    throw usageError("FILE_EXISTS", `${path} is the list that is read, or its rejected rows`, another);
  }
  if (options.yes) return;
  const prompter = prompterFor(host, options);
  if (prompter === undefined) {
    throw usageError("FILE_EXISTS", `${path} exists already`, `${another}, or --yes to replace it`);
  }
  if (!(await prompter.confirm(`Replace ${path}?`))) throw usageError("DECLINED", "Cancelled; nothing was written.");
}

function noneUsable(
  file: string,
  options: FileOptions,
  { findings, rejected }: { readonly findings: Findings; readonly rejected: readonly RejectedRow[] },
): Error {
  const reasons = findings.causes.reasons();
  const details = options.json
    ? rejected.map(({ row, reason }) => `${row.where ?? lineText(row.line)}: ${reason}`)
    : reasons.flatMap(({ first }) => first);
  const name = file === "-" ? "standard input" : file;
  return usageError("INVALID_RECIPIENTS", `no row of ${name} can be used`, {
    hint: wayOn(file, options, findings),
    details,
    faults: {
      reasons,
      usable: 0,
    },
  });
}

/** Returns what uses the rows that most often cannot be used. */
function wayOn(file: string, options: FileOptions, { causes, hints }: Findings): string | undefined {
  const top = causes.reasons()[0]?.reason;
  if (top === undefined) return undefined;
  if (top === "no-country") return writeStep(file, options, true);
  return hints.get(top);
}

function rejectedJson({ row, cause, reason }: RejectedRow) {
  return { line: row.line, text: row.kind === "row" ? row.to : null, reason: cause, detail: reason };
}

/** Shows what was found in a list; `--quiet` prints how many numbers can be used. */
function cleanedView({ options, findings, rejectedOutput, duplicates, rejected }: Cleaned, name: string): View {
  const { list, rows, numbers, landlines, unassigned } = findings;
  return {
    json: () => ({
      file: name,
      sheet: list.sheet ?? null,
      column: list.column?.name ?? null,
      rows,
      numbers,
      reasons: findings.causes.reasons().map(({ reason, rows: count }) => ({ reason, rows: count })),
      duplicates,
      rejected: rejected.map(rejectedJson),
      changes: findings.changes,
      formulaTexts: list.formulaTexts,
      landlines,
      unassigned,
      passed: list.passed,
      output: options.output ?? null,
      rejectedOutput: rejectedOutput ?? null,
    }),
    quiet: () => [String(numbers)],
    text: (page) => cleanedText(name, options, { found: findings, rejectedOutput, page }),
  };
}

function cleanedText(
  name: string,
  { output, mobileOnly }: FileOptions,
  {
    found: { list, causes, changes: changed, ...found },
    rejectedOutput,
    page,
  }: { readonly found: Findings; readonly rejectedOutput: string | undefined; readonly page: Page },
): string {
  const line = (text: string, margin = 2) => `${fitted(page, page.foreign(text), [margin, margin + 2])}\n`;
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `\n${heading}\n${lines.join("")}`;
  const counted = (count: number | undefined, words: string, first: readonly string[] = []) =>
    count ? [line(`${countText(count)}  ${words}`), ...first.map((one) => line(one, 6))] : [];
  const kept = (count: number, noun: string, what: string) => (count === 0 ? [] : [line(plural(count, noun) + what)]);
  const sheet = list.sheet === undefined ? "" : `, sheet ${JSON.stringify(list.sheet)}`;
  const column = list.column === undefined ? "" : ` in column ${JSON.stringify(list.column.name)}`;
  return [
    line(`${name}${sheet}: ${plural(found.rows, "row")}, ${plural(found.numbers, "number")} to send to${column}`, 0),
    ...list.passed.map((passed) => line(`Passed over ${passed}`)),
    ...kept(list.hiddenRows, "row", ` that the spreadsheet hides ${list.hiddenRows === 1 ? "is" : "are"} left out`),
    section(page.paint.doubtful("Left out"), [
      ...causes.reasons().flatMap(({ words, rows, first }) => counted(rows, words, first)),
      ...counted(found.duplicates, found.duplicates === 1 ? "duplicate" : "duplicates", found.firstDuplicates),
    ]),
    section("Changed", [
      ...counted(list.noValues, "NULL, NaN, None or N/A read as no value"),
      ...changes.flatMap(([change, words]) => counted(changed[change], words)),
      ...counted(list.formulaTexts, '="…" read as its text'),
    ]),
    section("Kept", [
      ...kept(
        mobileOnly ? 0 : found.landlines,
        "landline",
        ", which may not take texts: --mobile-only leaves landlines out",
      ),
      ...kept(found.unassigned, "number", " in no range that is known to be in use"),
    ]),
    section("Written", [
      ...(output === undefined ? [] : [line(`${output}: ${plural(found.numbers, "number")}`)]),
      ...(rejectedOutput === undefined ? [] : [line(`${rejectedOutput}: ${plural(found.rejected, "row")} to correct`)]),
    ]),
  ].join("");
}

/** Returns the command that cleans a list with the options that were given, and writes what is usable to `output`. */
function commandFor(file: string, options: Named, output: string): string {
  const named = [
    ["--sheet", options.sheet],
    ["--encoding", options.encoding],
    ["--country", options.country],
    ["--to-column", options.toColumn],
  ] as const;
  const given = named.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${shellWord(value)}`]));
  if (options.mobileOnly) given.push("--mobile-only");
  return ["sms clean", shellWord(file), ...given, `-o ${shellWord(output)}`].join(" ");
}

/** Returns the step that writes the usable rows. A country that is needed and not given is one for the person to replace. */
function writeStep(file: string, options: FileOptions, needsCountry: boolean): string {
  const stem = file === "-" ? "list" : file.replace(/\.\w+$/, "");
  const { country = needsCountry ? "KE" : undefined, output = `${stem}-clean.csv` } = options;
  const what = needsCountry ? "(with your country in place of KE) reads numbers without +, and " : "";
  return `\`${commandFor(file, { ...options, country }, output)}\` ${what}writes the usable rows`;
}

function nextSteps({ file, options, findings, rejectedOutput }: Cleaned): readonly string[] {
  const { list, causes } = findings;
  const { output } = options;
  const needsCountry = options.country === undefined && causes.reasons().some(({ reason }) => reason === "no-country");
  if (output === undefined) return [writeStep(file, options, needsCountry)];
  const name = list.columns?.names.find((column) => /^(?:first[ _]?)?name$/i.test(column.trim()));
  const text = name === undefined ? "TEXT" : `Hi {{${name.trim()}}}`;
  // The usable rows of the first cleaning may have numbers of the corrected ones.
  const before = file.replace(/-rejected\.csv$/i, ".csv");
  const excluded = before === file || !existsSync(before) ? "" : ` --exclude ${shellWord(before)}`;
  const send = `sms send --recipients ${shellWord(output)}${excluded} --message "${text}"`;
  const rehearse = `\`${send} --sandbox\` rehearses it, and --dry-run in its place shows what would be sent and what it costs`;
  if (rejectedOutput === undefined) return [rehearse];
  const [, stem = output, number = "1"] = /^(.*?)(?:-(\d+))?\.csv$/i.exec(output) ?? [];
  const again = {
    ...options,
    sheet: undefined,
    encoding: undefined,
    country: needsCountry ? "KE" : options.country,
    // Only a header that says so is found again among numbers that cannot be read.
    toColumn: options.toColumn ?? (list.column?.by === "cells" ? list.column.name : undefined),
  };
  const command = commandFor(rejectedOutput, again, `${stem}-${Number(number) + 1}.csv`);
  return [rehearse, `correct the rows in ${rejectedOutput}, then \`${command}\``];
}
