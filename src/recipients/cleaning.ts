import { type SmsError, usageError } from "../errors.ts";
import { newFile, removeFile } from "../files/durable.ts";
import { escapeUnit } from "../terminal/redact.ts";
import { shellWord } from "../words/shell-word.ts";
import { type CleanOptions, type CleanRow, cleanRows, type Findings } from "./clean.ts";
import { cleanWriter } from "./clean-columns.ts";
import { lineText } from "./row.ts";
import type { Source } from "./source.ts";

export type RejectedRow = Extract<CleanRow, { kind: "rejected" }>;
type DuplicateRow = Extract<CleanRow, { kind: "duplicate" }>;

export interface CleaningRequest extends CleanOptions {
  readonly file: string;
  readonly output?: string;
  readonly countryOption?: string;
  readonly keepsRows: boolean;
}

export interface Cleaned {
  readonly findings: Findings;
  readonly piped: readonly string[];
  readonly rejectedOutput: string | undefined;
  readonly duplicates: readonly DuplicateRow[];
  readonly rejected: readonly RejectedRow[];
}

/** These drive a terminal that shows the file; line ends, tabs and the marks of right-to-left text are of the row. */
const controls = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

export function cleaningFiles(output: string | undefined): readonly string[] {
  return output === undefined || output === "-" ? [] : [output, output.replace(/\.csv$/i, "-rejected.csv")];
}

export async function cleanIntoFiles(source: Source, request: CleaningRequest, findings: Findings): Promise<Cleaned> {
  const { output, keepsRows } = request;
  const [usablePath, rejectedPath] = cleaningFiles(output);
  const usable = usablePath === undefined ? undefined : newFile(usablePath, 0o600);
  const rejectedFile = rejectedPath === undefined ? undefined : newFile(rejectedPath, 0o600);
  const piped: string[] = [];
  const duplicates: DuplicateRow[] = [];
  const rejected: RejectedRow[] = [];
  const files = {
    usable: (record: string) => (output === "-" ? piped.push(record) : usable?.write(`${record}\n`)),
    rejected: (record: string) => rejectedFile?.write(`${record.replace(controls, escapeUnit)}\n`),
  };
  const writer = output === undefined ? undefined : cleanWriter(files, findings.list, output !== "-");
  try {
    for await (const row of cleanRows(source, request, findings)) {
      writer?.add(row);
      if (keepsRows && row.kind === "duplicate") duplicates.push(row);
      if (keepsRows && row.kind === "rejected") rejected.push(row);
    }
    writer?.end((request.toColumn ?? "to").trim().toLowerCase());
    if (findings.usable === 0) throw noneUsable(request, findings, rejected);
    // The rows to be corrected come first: a kill between the two files loses none.
    if (findings.rejected > 0) rejectedFile?.commit();
    usable?.commit();
    if (findings.rejected === 0 && rejectedPath !== undefined) removeFile(rejectedPath);
  } finally {
    usable?.discard();
    rejectedFile?.discard();
  }
  return { findings, piped, duplicates, rejected, rejectedOutput: findings.rejected > 0 ? rejectedPath : undefined };
}

function noneUsable(request: CleaningRequest, findings: Findings, rejected: readonly RejectedRow[]): SmsError {
  const reasons = findings.causes.reasons();
  const details = request.keepsRows
    ? rejected.map(({ row, reason }) => `${row.where ?? lineText(row.line)}: ${reason}`)
    : reasons.flatMap(({ first }) => first);
  const name = request.file === "-" ? "standard input" : request.file;
  const most = reasons[0]?.reason;
  const hint = most === "no-country" ? writeStep(request, true) : most && findings.hints.get(most);
  return usageError("INVALID_RECIPIENTS", `no row of ${name} can be used`, {
    hint,
    details,
    faults: { reasons, usable: 0 },
  });
}

/** A command with this word is refused, where a real country would give numbers of strangers. */
const anyCountry = "COUNTRY";

export function nextSteps(request: CleaningRequest, { findings, rejectedOutput }: Cleaned): readonly string[] {
  const { output, countryOption } = request;
  const { list, causes } = findings;
  const needsCountry = countryOption === undefined && causes.reasons().some(({ reason }) => reason === "no-country");
  if (output === "-") return [];
  if (output === undefined) return [writeStep(request, needsCountry)];
  const name = list.columns?.names.find((column) => /^(?:first[ _]?)?name$/i.test(column.trim()));
  const text = name === undefined ? "TEXT" : `Hi {{${name.trim()}}}`;
  const send = `sms send --recipients ${shellWord(output)} --message "${text}"`;
  const rehearse = `\`${send} --sandbox\` rehearses it, and --dry-run in its place shows what would be sent and what it costs`;
  if (rejectedOutput === undefined) return [rehearse];
  const again = {
    ...request,
    file: rejectedOutput,
    sheet: undefined,
    encoding: undefined,
    countryOption: needsCountry ? anyCountry : countryOption,
    // Only a header that says so is found again among numbers that cannot be read.
    toColumn: request.toColumn ?? (list.columns?.by === "cells" ? list.columns.name : undefined),
    output: output.replace(/\.csv$/i, "-2.csv"),
  };
  const country = needsCountry ? `, with your country in place of ${anyCountry}` : "";
  return [rehearse, `correct the rows in ${rejectedOutput}, then \`${commandFor(again)}\`${country}`];
}

/** If a country is needed and none was named, the person has to replace the word that stands for the country. */
function writeStep(request: CleaningRequest, needsCountry: boolean): string {
  const { file, countryOption = needsCountry ? anyCountry : undefined } = request;
  const output = request.output ?? `${file === "-" ? "list" : file.replace(/\.\w+$/, "")}-clean.csv`;
  const what = needsCountry ? `(with your country in place of ${anyCountry}) reads numbers without +, and ` : "";
  return `\`${commandFor({ ...request, countryOption, output })}\` ${what}writes the usable rows`;
}

function commandFor(request: CleaningRequest): string {
  const options = [
    ["--sheet", request.sheet],
    ["--encoding", request.encoding],
    ["--country", request.countryOption],
    ["--to-column", request.toColumn],
    ["-o", request.output],
  ] as const;
  const flags = [
    ...(request.mobileOnly ? ["--mobile-only"] : []),
    ...(request.keepUnassigned ? ["--keep-unassigned"] : []),
  ];
  const words = options.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${shellWord(value)}`]));
  return ["sms clean", shellWord(request.file), ...flags, ...words].join(" ");
}
