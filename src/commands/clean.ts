import { type EndingKind, invalidOption } from "../errors.ts";
import { changeWords, type CleanRow } from "../recipients/clean.ts";
import { type Cleaned, cleanFile } from "../recipients/cleaning.ts";
import { commentedTexts } from "../recipients/list-texts.ts";
import type { Context, Perform, Page, View } from "../terminal/context.ts";
import { fitted } from "../terminal/layout.ts";
import { visible } from "../terminal/text.ts";
import { countText, plural } from "../words/count.ts";
import { newCommand, type OptionsOf, withOptions } from "./shared/options.ts";

export function cleanCommand(perform: Perform) {
  return cleanOptions().action((file, _, command) =>
    perform(command, (options, context) => cleanList(file, options, context)),
  );
}

function cleanOptions() {
  const command = newCommand("clean", {
    endsWith: "list",
    description: "Show which rows of a list can be used as it came, and why the others cannot.",
    uses: ["profile", "json", "quiet", "input", "yes"],
    examples: [
      "sms clean customers.xlsx --country KE",
      "sms clean customers.xlsx --country KE --mobile-only -o customers-clean.csv",
    ],
    notes:
      "Only what leaves no doubt is changed. OUT-rejected.csv, next to OUT.csv, gets the rows that cannot be used, as they came, with line, reason and suggestion: correct them there, and clean that file. Exit code 11 says that rows were left out.",
  })
    .argument("<file>", "the list in any format; - reads standard input")
    .option("-o, --output <file>", "write the usable rows to this CSV file; - for stdout", csvName)
    .option("--mobile-only", "leave out landlines, premium-rate numbers and the like")
    .option("--keep-unassigned", "keep numbers in no range that is known to be in use")
    .option("--every-number", "make a list for --exclude, with every number of a row");
  return withOptions(command, "clean");
}

type CleanFlags = OptionsOf<typeof cleanOptions>;

function csvName(name: string): string {
  if (name === "-" || /[^/\\]\.csv$/i.test(name)) return name;
  const hint = "give a name such as clean.csv";
  throw invalidOption(`--output writes CSV, and ${JSON.stringify(name)} does not end in .csv`, hint);
}

async function cleanList(file: string, flags: CleanFlags, context: Context): Promise<EndingKind> {
  const { presenter } = context;
  const isPiped = flags.output === "-";
  if (isPiped && flags.json) throw invalidOption("--json and -o - are both for standard output", "give a file to -o");
  const cleaned = await cleanFile({ ...flags, file }, context);
  const { findings, piped, next } = cleaned;
  const view = cleanedView(cleaned);
  if (isPiped) {
    // A file may drive the terminal; what reads a pipe needs the cells as they are.
    const lines = ({ isTerminal }: Page) => (isTerminal ? piped.map(visible) : piped);
    const text = (page: Page) => lines(page).map((line) => `${line}\n`);
    presenter.show({ json: () => null, quiet: lines, text: (page) => text(page).join("") });
    presenter.tell(view.text);
  } else presenter.show(view);
  for (const step of next) presenter.note(`Next: ${step}`);
  return findings.rejected + findings.duplicates > 0 ? "incomplete" : "accepted";
}

function cleanedView(cleaned: Cleaned): View {
  const { name, output, findings, unusableRows, rejectedOutput } = cleaned;
  const { list } = findings;
  return {
    json: () => ({
      file: name,
      sheet: list.sheet ?? null,
      column: list.columns?.name ?? null,
      rows: findings.rows,
      usable: findings.usable,
      reasons: findings.causes.reasons().map(({ reason, rows: count }) => ({ reason, rows: count })),
      duplicates: unusableRows.flatMap(({ line, ...row }) =>
        row.kind === "duplicate" ? { line, to: row.to, firstLine: row.firstLine } : [],
      ),
      rejected: unusableRows.flatMap(rejectedJson),
      changes: findings.changes,
      formulaTexts: list.formulaTexts,
      sameNumber: findings.sameNumber,
      noMobile: findings.noMobile,
      unassigned: findings.unassigned,
      passed: [...list.passed, ...commentedTexts(list)],
      hidden: { rows: list.hiddenRows, columns: list.hiddenColumns },
      output: output ?? null,
      rejectedOutput: rejectedOutput ?? null,
    }),
    quiet: () => [String(findings.usable)],
    text: (page) => cleanedText(cleaned, page),
  };
}

function rejectedJson({ line, ...result }: CleanRow) {
  if (result.kind !== "rejected") return [];
  const { row, cause, reason, hint = null, suggestion = null } = result;
  return { line, text: row.kind === "row" ? row.to : null, reason: cause, detail: reason, hint, suggestion };
}

function cleanedText({ name, output, everyNumber, findings, rejectedOutput }: Cleaned, page: Page): string {
  const { list, causes, changes: counts } = findings;
  const line = (text: string, margin = 2) => `${fitted(page, page.foreign(text), [margin, margin + 2])}\n`;
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `\n${heading}\n${lines.join("")}`;
  const countLines = (count: number | undefined, words: string, first: readonly string[] = []) =>
    count ? [line(`${countText(count)}  ${words}`), ...first.map((row) => line(row, 6))] : [];
  const sumLine = (count: number, noun: string, what: string) =>
    count === 0 ? [] : [line(plural(count, noun) + what)];
  const sheet = list.sheet === undefined ? "" : `, sheet ${JSON.stringify(list.sheet)}`;
  const column = list.columns === undefined ? "" : ` in column ${JSON.stringify(list.columns.name)}`;
  const columns = list.hiddenColumns;
  const hiddenRows = (fate: string) => sumLine(list.hiddenRows, "row", ` that the spreadsheet hides${fate}`);
  return [
    line(
      `${name}${sheet}: ${plural(findings.rows, "row")}, ${plural(findings.usable - findings.sameNumber, "number")}${everyNumber ? "" : " to send to"}${column}`,
      0,
    ),
    ...(list.isUtf16 ? [line("The text is UTF-16")] : []),
    ...[...list.passed, ...commentedTexts(list)].map((what) => line(`Passed over ${what}`)),
    ...(everyNumber ? [] : hiddenRows(list.hiddenRows === 1 ? " is left out" : " are left out")),
    ...(columns.length === 0 ? [] : [line(`Columns that the spreadsheet hides are left out: ${columns.join(", ")}`)]),
    section(page.paint.doubtful("Left out"), [
      ...causes.reasons().flatMap(({ words, rows, first }) => countLines(rows, words, first)),
      ...countLines(
        findings.duplicates,
        findings.duplicates === 1 ? "duplicate" : "duplicates",
        findings.firstDuplicates,
      ),
    ]),
    section("Changed", [
      ...countLines(list.noValues, "NULL, NaN, None or N/A read as no value"),
      ...countLines(list.unusableCells, "#REF! and other errors written as no value"),
      ...countLines(list.shortRows, "with fewer cells than the header: the missing ones are empty"),
      ...changeWords.flatMap(([change, words]) => countLines(counts[change], words)),
      ...countLines(list.formulaTexts, '="…" read as its text'),
    ]),
    section("Kept", [
      ...(everyNumber ? hiddenRows("") : []),
      ...sumLine(findings.sameNumber, "row", " of a number that is on another row, with other columns"),
      ...sumLine(
        findings.noMobile,
        "number",
        " that may not take texts, such as landlines: --mobile-only leaves them out",
      ),
      ...sumLine(findings.unassigned, "number", " in no range that is known to be in use"),
    ]),
    section("Written", [
      ...(output === undefined || output === "-" ? [] : [line(`${output}: ${plural(findings.usable, "row")}`)]),
      ...(rejectedOutput === undefined
        ? []
        : [line(`${rejectedOutput}: ${plural(findings.rejected, "row")} to correct`)]),
    ]),
  ].join("");
}
