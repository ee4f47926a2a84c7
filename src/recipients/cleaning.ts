import { existsSync, realpathSync, statSync } from "node:fs";
import { type SmsError, usageError } from "../errors.ts";
import { fieldKey } from "../message/text.ts";
import { newFile, removeFile } from "../files/durable.ts";
import type { Host } from "../host.ts";
import { countryFor } from "../profiles/defaults.ts";
import type { Context, GlobalOptions } from "../terminal/context.ts";
import { prompterFor } from "../terminal/prompt.ts";
import { sayHowToEnd } from "../terminal/input.ts";
import { readingText } from "../terminal/reading-text.ts";
import { type CleanRow, cleanRows, Findings } from "./clean.ts";
import { cleanWriter } from "./clean-columns.ts";
import { choiceTexts, cleanLine, type CleanWords } from "./faults.ts";
import { rowsOfNumbers } from "./row-numbers.ts";
import { shellWord } from "../words/shell-word.ts";
import { lineText } from "./row.ts";
import { openSource } from "./source.ts";

/** The country is as it was typed. */
type CleaningRequest = CleanWords & GlobalOptions;

export type Cleaned = Awaited<ReturnType<typeof cleanFile>>;

/** Asks before it replaces files. Throws a usage error if no row can be used. */
export async function cleanFile(request: CleaningRequest, context: Context) {
  const { host, presenter, redactor } = context;
  const { file, output, json } = request;
  for (const path of filesOf(output)) await confirmReplacing(path, request, host);
  const country = countryFor(request, host);
  if (file === "-") sayHowToEnd("the list", context);
  const source = openSource(file, host, "clean");
  const isAtTerminal = file === "-" && host.stdin.isTerminal();
  const findings = new Findings();
  const rowsOf = request.everyNumber ? rowsOfNumbers : cleanRows;
  // Only JSON shows each of these rows.
  const unusableRows: CleanRow[] = [];
  const newFiles: ReturnType<typeof newFile>[] = [];
  try {
    const { writer, piped, commit } = outputsFor(output, findings, newFiles, redactor.redact);
    await presenter.waitFor(isAtTerminal ? undefined : () => readingText(source, findings.rows), async () => {
      for await (const row of rowsOf(source, { ...request, country }, findings)) {
        writer?.add(row);
        if (json && row.kind !== "usable") unusableRows.push(row);
      }
    });
    writer?.end(fieldKey(request.toColumn ?? "to"));
    if (findings.usable === 0) throw noneUsable(source.name, request, findings, unusableRows);
    const rejectedOutput = commit();
    const next = nextSteps(request, findings, rejectedOutput, host.stdout.isTerminal());
    return {
      name: source.name,
      output,
      everyNumber: request.everyNumber,
      findings,
      piped,
      rejectedOutput,
      unusableRows,
      next,
    };
  } finally {
    for (const each of newFiles) each.discard();
  }
}

function filesOf(output: string | undefined): readonly string[] {
  return output === undefined || output === "-" ? [] : [output, output.replace(/\.csv$/i, "-rejected.csv")];
}

/** Throws if the file may not be replaced, and for the list itself, which is being read. */
async function confirmReplacing(path: string, { file, ...options }: CleaningRequest, host: Host): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const another = "give another name to --output";
  if (!stats.isFile()) throw usageError("FILE_EXISTS", `${path} is not a file`, another);
  if (file !== "-" && existsSync(file) && realpathSync(file) === realpathSync(path)) {
    throw usageError("FILE_EXISTS", `${path} is the list that is read, or its rejected rows`, another);
  }
  if (options.yes) return;
  const prompter = prompterFor(host, options, "written");
  if (prompter === undefined) {
    throw usageError("FILE_EXISTS", `${path} exists already`, `${another}, or --yes to replace it`);
  }
  await prompter.confirm(`Replace ${path}?`);
}

/** A file has no key either, as standard output has none. */
function outputsFor(
  output: string | undefined,
  findings: Findings,
  newFiles: ReturnType<typeof newFile>[],
  redact: (text: string) => string,
) {
  const paths = filesOf(output);
  const [, rejectedPath] = paths;
  for (const path of paths) newFiles.push(newFile(path));
  const [usable, rejected] = newFiles;
  const piped: string[] = [];
  const files = {
    usable: (record: string) => (output === "-" ? piped.push(record) : usable?.write(`${redact(record)}\n`)),
    rejected: (record: string) => rejected?.write(`${redact(record)}\n`),
  };
  return {
    piped,
    writer: output === undefined ? undefined : cleanWriter(files, findings.list, output !== "-"),
    /** The rows to be corrected come first: a kill between the two files loses none. */
    commit: () => {
      if (findings.rejected > 0) rejected?.commit();
      usable?.commit();
      if (findings.rejected === 0 && rejectedPath !== undefined) removeFile(rejectedPath);
      return findings.rejected > 0 ? rejectedPath : undefined;
    },
  };
}

function noneUsable(
  name: string,
  request: CleaningRequest,
  { causes, list }: Findings,
  unusableRows: readonly CleanRow[],
): SmsError {
  const reasons = causes.reasons();
  const details = request.json
    ? unusableRows.flatMap((row) =>
        row.kind === "rejected" ? `${row.row.where ?? lineText(row.line)}: ${row.reason}` : [],
      )
    : reasons.flatMap(({ first }) => first);
  details.push(...choiceTexts(reasons, list.columns));
  const [most] = reasons;
  const hint = most?.reason === "no-country" ? writeStep(request, true) : most?.hint;
  const faults = { reasons, usable: 0 };
  return usageError("INVALID_RECIPIENTS", `no row of ${name} can be used`, { hint, details, faults });
}

/** A command with this word is refused, where a real country would give numbers of strangers. */
const anyCountry = "COUNTRY";

function nextSteps(
  request: CleaningRequest,
  { list, causes }: Findings,
  rejectedOutput: string | undefined,
  isTerminal: boolean,
): readonly string[] {
  const { output, country } = request;
  const needsCountry = country === undefined && causes.reasons().some(({ reason }) => reason === "no-country");
  if (output === "-") return [];
  const toPipe = isTerminal || request.json ? "" : "; -o - writes them to standard output";
  if (output === undefined) return [writeStep(request, needsCountry) + toPipe];
  const way = request.everyNumber
    ? `--recipients FILE --exclude ${shellWord(output)}`
    : `--recipients ${shellWord(output)}`;
  const name = request.everyNumber
    ? undefined
    : list.columns?.names.find((column) => /^(?:first[ _]?)?name$/i.test(column.trim()));
  const text = name === undefined ? "TEXT" : `Hi {{${name.trim()}}}`;
  const send = `sms send ${way} --message "${text}"`;
  const trial = `\`${send} --sandbox\` tries it, and --dry-run in its place shows what would be sent and what it costs`;
  if (rejectedOutput === undefined) return [trial];
  const again = cleanLine({
    ...request,
    file: rejectedOutput,
    format: undefined,
    sheet: undefined,
    encoding: undefined,
    country: needsCountry ? anyCountry : country,
    // Only a header that says so is found again among numbers that cannot be read.
    toColumn: request.toColumn ?? (list.columns?.by === "cells" ? list.columns.name : undefined),
    output: output.replace(/\.csv$/i, "-2.csv"),
  });
  const inPlace = needsCountry ? `, with your country in place of ${anyCountry}` : "";
  return [trial, `correct the rows in ${rejectedOutput}, then \`${again}\`${inPlace}`];
}

/** If a country is needed and none was named, the person has to replace the word that stands for the country. */
function writeStep(request: CleaningRequest, needsCountry: boolean): string {
  const { file, country = needsCountry ? anyCountry : undefined } = request;
  const output = request.output ?? `${file === "-" ? "list" : file.replace(/\.\w+$/, "")}-clean.csv`;
  const what = needsCountry ? `(with your country in place of ${anyCountry}) reads numbers without +, and ` : "";
  return `\`${cleanLine({ ...request, country, output })}\` ${what}writes the usable rows`;
}
