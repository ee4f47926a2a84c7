import { type Country, sixZeros } from "../message/number.ts";
import { numbersWithin } from "../message/number-fault.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { explained, faultOfNumber } from "./check.ts";
import { type CleanOptions, type CleanRow, duplicate, type Findings, readCertain, reject } from "./clean.ts";
import { type Columns, keysIn } from "./columns.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import type { Row, RowFault } from "./row.ts";
import type { Source } from "./source.ts";

export interface NumbersOfRow {
  readonly numbers: readonly string[];
  /** Those among the numbers in no range known to be in use. */
  readonly unassigned?: readonly string[];
  readonly isDecimal?: boolean;
  /** Some part of the row cannot be read, or all of it. */
  readonly fault?: RowFault;
}

/** Lists that hold people back: every number of a row is somebody, whatever stands beside. */
export function numbersInRow(
  row: Row | RowFault,
  { country, toColumn = "to" }: Pick<ReadOptions, "country" | "toColumn">,
  columns?: Columns,
): NumbersOfRow {
  if (row.kind === "fault") {
    const numbers = (row.cells ?? []).flatMap((cell) => within(cell, country).numbers);
    return { numbers, fault: numbers.length === 0 ? row : undefined };
  }
  const others =
    columns === undefined
      ? keysIn(toColumn, Object.keys(row.fields)).map((key) => row.fields[key] ?? "")
      : columns.others.map((index) => row.cells?.[index] ?? "");
  const texts = new Set([row.to, ...others.filter((cell) => /\d/.test(cell))]);
  const readings = [...texts].map((to) => numbersInCell({ ...row, to }, country));
  return {
    numbers: readings.flatMap(({ numbers }) => numbers),
    unassigned: readings.flatMap(({ unassigned = [] }) => unassigned),
    isDecimal: readings.some(({ isDecimal }) => isDecimal),
    fault: readings.find(({ fault }) => fault !== undefined)?.fault,
  };
}

function numbersInCell(row: Row, country: Country | undefined): NumbersOfRow {
  const reading = readCertain(row.to, country);
  if (reading.kind === "number") {
    const { e164, assigned, isDecimal } = reading.number;
    return { numbers: [e164], unassigned: assigned ? [] : [e164], isDecimal };
  }
  const { numbers, isWhole } = within(row.to, country);
  const isRead = numbers.length > 0 && isWhole;
  return { numbers, fault: isRead ? undefined : faultOfNumber(row, reading, country) };
}

/** A number that was rounded is another person's. */
function within(text: string, country: Country | undefined): ReturnType<typeof numbersWithin> {
  return sixZeros.test(text) ? { numbers: [], isWhole: false } : numbersWithin(text, country);
}

/** Cleans a list that holds people back: a row has as many usable numbers as it has people. */
export async function* rowsOfNumbers(
  source: Source,
  options: CleanOptions,
  findings: Findings,
): AsyncGenerator<CleanRow> {
  const numbers = new NumberSet();
  const { list: facts } = findings;
  const listOptions = { ...options, facts, everyNumber: true, keepsCells: true };
  for await (const row of readRecipients(source, listOptions)) {
    findings.rows++;
    const { line } = row;
    const { numbers: ofRow, fault } = numbersInRow(row, options, facts.columns);
    if (fault !== undefined) yield reject(findings, row, await explained(fault));
    for (const to of ofRow) {
      const firstLine = numbers.lineOf(numberKey(to));
      if (firstLine !== undefined) {
        yield duplicate(findings, row, to, firstLine);
        continue;
      }
      numbers.add(numberKey(to), line);
      findings.usable++;
      yield { kind: "usable", row, line, to };
    }
  }
}
