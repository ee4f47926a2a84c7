import { existsSync, realpathSync, statSync } from "node:fs";
import { Command } from "@commander-js/extra-typings";
import { type EndingKind, invalidOption, usageError } from "../errors.ts";
import { newFile, removeFile } from "../files/durable.ts";
import { shellWord } from "../message/shell-word.ts";
import type { Host } from "../host.ts";
import { fitted } from "../output/layout.ts";
import type { Page, View } from "../output/presenter.ts";
import { escapeUnit } from "../output/redact.ts";
import { countText, plural, readingText } from "../output/text.ts";
import { chooseProfile } from "../profiles/resolve.ts";
import { changes, cleanRows, type CleanRow, type Findings, newFindings } from "../recipients/clean.ts";
import { cleanWriter } from "../recipients/clean-columns.ts";
import { lineText } from "../recipients/row.ts";
import { openSource } from "../recipients/source.ts";
import type { Context, Run } from "./shared/context.ts";
import { sayHowToEnd } from "./shared/input.ts";
import { oneOf, read, single } from "./shared/option-values.ts";
import { type OptionsOf, withExamples, withGlobalOptions } from "./shared/options.ts";
import { countryOf, sendDefaults } from "./shared/profile.ts";
import { prompterFor } from "./shared/prompt.ts";

/** `sms clean`: its options and their help. */
export function cleanCommand(run: Run) {
  const clean = cleanOptions().action((file, flags, command) =>
    run(command, (options, context) => cleanList(file, { ...flags, ...options }, context)),
  );
  return withExamples(
    withGlobalOptions(clean, ["profile", "json", "quiet", "input", "yes"]),
    [
      "sms clean customers.xlsx --country KE",
      "sms clean customers.xlsx --country KE --several each -o customers-clean.csv",
      "sms clean customers-clean-rejected.csv --country KE -o customers-clean-2.csv",
    ],
    "Beside OUT.csv, OUT-rejected.csv gets the rows that cannot be used, as they came, with line and reason: correct them there, and clean that file. Exit code 11 says that rows were left out.",
  );
}

function cleanOptions() {
  return new Command("clean")
    .summary("make a list of recipients from any spreadsheet or text")
    .description(
      "Read a list of recipients as it came, and show which rows can be used and why the others cannot. Only what leaves no doubt is changed. Nothing is sent.",
    )
    .argument("<file>", "the list in any format; - reads standard input")
    .option("-o, --output <file>", "write the usable rows to this CSV file", read("--output", csvName))
    .option(
      "--several <which>",
      "of several numbers in a cell, use the first or each",
      oneOf("--several", ["first", "each"]),
    )
    .option("--mobile-only", "leave landlines out")
    .option("--sheet <name>", "the sheet of a workbook", single("--sheet"))
    .option("--encoding <name>", "the encoding of a text, such as windows-1252", read("--encoding", encodingName))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong", single("--to-column"));
}

type CleanOptions = OptionsOf<typeof cleanOptions>;

function csvName(name: string): string {
  if (/[^/\\]\.csv$/i.test(name)) return name;
  throw invalidOption(
    `--output writes CSV, and ${JSON.stringify(name)} does not end in .csv`,
    "give a name such as clean.csv",
  );
}

function encodingName(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw invalidOption(
      `--encoding does not take ${JSON.stringify(name)}`,
      "give a name such as windows-1252, macintosh, windows-1251 or utf-16le",
    );
  }
}

/** What drives a terminal that shows the file; line ends, tabs and the marks of right-to-left text are of the row. */
const controls = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

/** A list that was cleaned. */
interface Cleaned {
  readonly file: string;
  readonly findings: Findings;
  /** The files that were written. */
  readonly output: string | undefined;
  readonly rejectedOutput: string | undefined;
  /** Rows that were left out, for JSON. */
  readonly duplicates: readonly unknown[];
  readonly rejected: readonly unknown[];
}

async function cleanList(file: string, options: CleanOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { output, json } = options;
  const rejectedPath = output?.replace(/\.csv$/i, "-rejected.csv");
  if (output !== undefined && rejectedPath !== undefined) {
    for (const path of [output, rejectedPath]) await confirmReplacing(path, file, options, host);
  }
  const { profile } = chooseProfile(host, options.profile);
  const country = countryOf(options.country, sendDefaults(host.environment, profile));
  if (file === "-") sayHowToEnd("the list", context);
  const source = openSource(file, host, "clean");
  const isTyped = file === "-" && host.stdin.isTerminal();
  const findings = newFindings();
  const files = [output, rejectedPath].flatMap((path) => (path === undefined ? [] : [newFile(path, 0o600)]));
  const [usable, rejected] = files;
  const writer = cleanWriter(
    {
      usable: (record) => usable?.write(`${record}\n`),
      rejected: (record) => rejected?.write(`${record.replace(controls, escapeUnit)}\n`),
    },
    findings.list,
  );
  const duplicates: unknown[] = [];
  const leftOut: { readonly json: unknown; readonly detail: string }[] = [];
  const readAll = async () => {
    for await (const row of cleanRows(source, { ...options, country }, findings)) {
      if (output !== undefined) writer.add(row);
      if (!json) continue;
      if (row.kind === "duplicate") duplicates.push({ line: row.row.line, to: row.to, firstLine: row.firstLine });
      if (row.kind === "rejected") leftOut.push({ json: rejectedJson(row), detail: `${placeOf(row)}: ${row.reason}` });
    }
    if (output !== undefined) writer.end((options.toColumn ?? "to").trim().toLowerCase());
  };
  try {
    await presenter.waitFor(isTyped ? undefined : () => readingText(source, findings.rows), readAll);
    if (findings.numbers === 0)
      throw noneUsable(
        source.name,
        findings,
        leftOut.map(({ detail }) => detail),
        options,
        file,
      );
    // The rows to be corrected come first: a kill between the two files loses none.
    if (findings.rejected > 0) rejected?.commit();
    usable?.commit();
    if (findings.rejected === 0 && rejectedPath !== undefined) removeFile(rejectedPath);
  } finally {
    for (const written of files) written.discard();
  }
  const rejectedOutput = findings.rejected > 0 ? rejectedPath : undefined;
  const cleaned = {
    file: source.name,
    findings,
    output,
    rejectedOutput,
    duplicates,
    rejected: leftOut.map((row) => row.json),
  };
  presenter.show(cleanedView(cleaned, options));
  for (const next of nextSteps(cleaned, file, options)) presenter.note(`Next: ${next}`);
  return findings.rejected + findings.duplicates > 0 ? "incomplete" : "accepted";
}

/** Asks before a file is replaced. Throws if it may not be, and for the list itself, which is being read. */
async function confirmReplacing(path: string, list: string, options: CleanOptions, host: Host): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw usageError("FILE_EXISTS", `${path} is not a file`, "give another name to --output");
  if (list !== "-" && realpath(list) === realpathSync(path)) {
    throw usageError(
      "FILE_EXISTS",
      `${path} is the list that is read, or its rejected rows`,
      "give another name to --output",
    );
  }
  if (options.yes) return;
  const prompter = prompterFor(host, options);
  if (prompter === undefined) {
    throw usageError("FILE_EXISTS", `${path} exists already`, "give another name to --output, or --yes to replace it");
  }
  if (!(await prompter.confirm(`Replace ${path}?`))) throw usageError("DECLINED", "Cancelled; nothing was written.");
}

function realpath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function noneUsable(
  name: string,
  findings: Findings,
  details: readonly string[],
  options: CleanOptions,
  file: string,
): Error {
  const reasons = findings.causes.reasons();
  const top = reasons[0]?.reason;
  const hint =
    top === "no-country"
      ? `give the country of the numbers: \`${commandFor(file, options, ["--country KE"])}\`, with yours in place of KE`
      : top === "several"
        ? "use the first number of a cell, or each: --several first, or --several each"
        : top === undefined
          ? undefined
          : findings.hints.get(top);
  const shown = details.length > 0 ? details : reasons.flatMap(({ first }) => first);
  return usageError("INVALID_RECIPIENTS", `no row of ${name} can be used`, hint, shown, { reasons, usable: 0 });
}

function placeOf({ row }: CleanRow): string {
  return row.where ?? lineText(row.line);
}

function rejectedJson(row: Extract<CleanRow, { kind: "rejected" }>) {
  const text = row.row.kind === "row" ? row.row.to : null;
  return { line: row.row.line, text, reason: row.cause, detail: row.reason };
}

/** Shows what was found in a list; `--quiet` prints how many numbers can be used. */
function cleanedView(cleaned: Cleaned, { several, mobileOnly }: CleanOptions): View {
  const { file, findings, output, rejectedOutput, duplicates, rejected } = cleaned;
  const { list, rows, split, numbers, landlines, unassigned } = findings;
  return {
    json: () => ({
      file,
      sheet: list.sheet ?? null,
      column: list.column?.name ?? null,
      rows,
      split,
      numbers,
      reasons: findings.causes.reasons().map(({ reason, rows: count }) => ({ reason, rows: count })),
      duplicates,
      rejected,
      changes: findings.changes,
      formulaTexts: list.formulaTexts,
      landlines,
      unassigned,
      passed: list.passed,
      output: output ?? null,
      rejectedOutput: rejectedOutput ?? null,
    }),
    quiet: () => [String(numbers)],
    text: (page) => cleanedText(cleaned, page, several !== undefined, mobileOnly ?? false),
  };
}

function cleanedText(
  { file, findings, output, rejectedOutput }: Cleaned,
  page: Page,
  splits: boolean,
  mobileOnly: boolean,
): string {
  const { list, rows, numbers, duplicates, firstDuplicates, landlines, unassigned } = findings;
  const { paint, foreign } = page;
  const line = (text: string, margin: number) => `${fitted(page, foreign(text), margin, margin + 2)}\n`;
  const sheet = list.sheet === undefined ? "" : `, sheet ${JSON.stringify(list.sheet)}`;
  const column = list.column === undefined ? "" : ` in column ${JSON.stringify(list.column.name)}`;
  const parts = [
    line(`${file}${sheet}: ${plural(rows, "row")}, ${plural(numbers, "number")} to send to${column}`, 0),
    ...list.passed.map((passed) => line(`Passed over ${passed}`, 2)),
  ];
  const reasons = findings.causes.reasons();
  const section = (heading: string) => parts.push(`\n${heading}\n`);
  if (reasons.length > 0 || duplicates > 0) section(paint.doubtful("Left out"));
  for (const { reason, words, rows: count, first } of reasons) {
    const way = reason === "several" && !splits ? ": --several first or --several each uses them" : "";
    parts.push(line(`${countText(count)}  ${words}${way}`, 2), ...first.map((one) => line(one, 6)));
  }
  if (duplicates > 0) {
    parts.push(
      line(`${countText(duplicates)}  ${duplicates === 1 ? "duplicate" : "duplicates"}`, 2),
      ...firstDuplicates.map((one) => line(one, 6)),
    );
  }
  const changed = changes.flatMap(([change, words]) => {
    const count = findings.changes[change];
    return count === undefined ? [] : [`${countText(count)}  ${words}`];
  });
  if (list.formulaTexts > 0) changed.push(`${countText(list.formulaTexts)}  ="…" read as its text`);
  if (changed.length > 0) section("Changed");
  parts.push(...changed.map((text) => line(text, 2)));
  const kept = [
    landlines === 0 || mobileOnly
      ? ""
      : `${plural(landlines, "landline")}, which may not take texts: --mobile-only leaves landlines out`,
    unassigned === 0 ? "" : `${plural(unassigned, "number")} in no range that is known to be in use`,
    list.hiddenRows === 0 ? "" : `${plural(list.hiddenRows, "row")} that the spreadsheet hides`,
  ].filter((text) => text !== "");
  if (kept.length > 0) section("Kept");
  parts.push(...kept.map((text) => line(text, 2)));
  if (output !== undefined) {
    section("Written");
    parts.push(line(`${output}: ${plural(numbers, "number")}`, 2));
    if (rejectedOutput !== undefined)
      parts.push(line(`${rejectedOutput}: ${plural(findings.rejected, "row")} to correct`, 2));
  }
  return parts.join("");
}

/** Returns the command that cleans a list with the options that were given, and writes what is usable. */
function commandFor(file: string, options: CleanOptions, more: readonly string[] = [], output?: string): string {
  const named = [
    ["--sheet", options.sheet],
    ["--encoding", options.encoding],
    ["--country", options.country],
    ["--to-column", options.toColumn],
    ["--several", options.several],
  ] as const;
  const given = named.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${shellWord(value)}`]));
  if (options.mobileOnly) given.push("--mobile-only");
  const name = file === "-" ? "list.csv" : file;
  const clean = output ?? options.output ?? `${name.replace(/\.\w+$/, "")}-clean.csv`;
  return ["sms clean", shellWord(file), ...given, ...more, `-o ${shellWord(clean)}`].join(" ");
}

function nextSteps(
  { findings, output, rejectedOutput }: Cleaned,
  file: string,
  options: CleanOptions,
): readonly string[] {
  const { list, causes } = findings;
  const needsCountry = options.country === undefined && causes.reasons().some(({ reason }) => reason === "no-country");
  const country = needsCountry ? ["--country KE"] : [];
  if (output === undefined) {
    const what = needsCountry ? "(with your country in place of KE) reads numbers without +, and" : "";
    return [`\`${commandFor(file, options, country)}\` ${what === "" ? "" : `${what} `}writes the usable rows`];
  }
  const name = list.columns?.names.find((column) => /^(?:first[ _]?)?name$/i.test(column.trim()));
  const text = name === undefined ? "TEXT" : `Hi {{${name.trim()}}}`;
  // The usable rows of the first cleaning may have numbers of the corrected ones.
  const before = file.replace(/-rejected\.csv$/i, ".csv");
  const excluded = before === file || !existsSync(before) ? "" : ` --exclude ${shellWord(before)}`;
  const steps = [
    `\`sms send --recipients ${shellWord(output)}${excluded} --message "${text}" --sandbox\` rehearses it, and --dry-run in its place shows what would be sent and what it costs`,
  ];
  if (rejectedOutput !== undefined) {
    // Only a header that says so is found again among numbers that cannot be read.
    const toColumn = options.toColumn ?? (list.column?.by === "cells" ? list.column.name : undefined);
    const { sheet: _, encoding: __, ...others } = options;
    const again = { ...others, ...(toColumn !== undefined && { toColumn }) };
    const [, stem = output, number = "1"] = /^(.*?)(?:-(\d+))?\.csv$/i.exec(output) ?? [];
    const command = commandFor(rejectedOutput, again, country, `${stem}-${Number(number) + 1}.csv`);
    steps.push(`correct the rows in ${rejectedOutput}, then \`${command}\``);
  }
  return steps;
}
