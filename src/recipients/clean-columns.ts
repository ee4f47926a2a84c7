import { csvRecord } from "./formats/csv-text.ts";
import { fieldKey } from "../message/text.ts";
import type { CleanRow } from "./clean.ts";
import { isNoValue } from "./listed-row.ts";
import type { ListFacts } from "./source.ts";

type CleanFiles = Readonly<Record<"usable" | "rejected", (record: string) => void>>;

const bom = "\uFEFF";

const reasons: readonly string[] = ["line", "reason", "suggestion"];

/** Excel reads UTF-8 by a mark at the beginning of the file. */
export function cleanWriter(files: CleanFiles, facts: ListFacts, isFile = true) {
  // The columns of NDJSON are known after its last row.
  const waiting: CleanRow[] = [];
  let names: readonly string[] | undefined;
  let others: readonly number[] = [];
  let stale = 0;
  const begin = (all: readonly string[], to: number) => {
    names = all;
    if (to >= reasons.length && reasons.every((name, index) => all[index] === name)) stale = reasons.length;
    others = all.flatMap((name, index) => (name === "" || index === to || index < stale ? [] : [index]));
    const mark = isFile ? bom : "";
    const ours = ["to", "line", ...(facts.format === "plain" ? ["name"] : [])];
    files.usable(mark + csvRecord([...ours, ...others.map((index) => free(all[index] ?? "", ours, all))]));
    files.rejected(mark + csvRecord([...reasons, ...all.slice(stale).map((name) => free(name, reasons, all))]));
    return all;
  };
  const write = (result: CleanRow, cells: readonly string[]) => {
    const all = names ?? begin(facts.columns?.names ?? ["to"], numberColumn(facts));
    const { kind, line, row } = result;
    if (kind === "usable") {
      const name = facts.format === "plain" && row.kind === "row" ? [row.fields["name"]] : [];
      files.usable(csvRecord([result.to, line, ...name, ...others.map((index) => valueOf(cells[index]))]));
    } else if (kind === "rejected") {
      const { reason, hint, suggestion = "" } = result;
      const why = hint === undefined || suggestion !== "" ? reason : `${reason}; ${hint}`;
      // If a row of text is too short or too long, it stays so.
      const missing = facts.sheet === undefined ? [] : all.slice(cells.length).map(() => "");
      // A row that cannot be read is one cell.
      const whole = cells.slice(cells.length > stale ? stale : 0);
      files.rejected(csvRecord([line, why, suggestion, ...whole, ...missing]));
    }
  };
  return {
    add: (result: CleanRow) => {
      if (facts.format === "ndjson") waiting.push(result);
      else write(result, cellsOf(result.row));
    },
    end: (toKey: string) => {
      if (facts.format !== "ndjson") return;
      const keys = waiting.flatMap(({ row }) => (row.kind === "row" ? Object.keys(row.fields) : []));
      const all = begin([...new Set([toKey, ...keys])], 0);
      for (const result of waiting) {
        const { row } = result;
        // The other rows of this number may have another name.
        const cells =
          row.kind === "row" ? all.map((name) => (name === toKey ? row.to : row.fields[name]) ?? "") : cellsOf(row);
        write(result, cells);
      }
    },
  };
}

function valueOf(cell = ""): string {
  return isNoValue(cell) ? "" : cell;
}

function cellsOf(row: CleanRow["row"]): readonly string[] {
  return row.cells ?? (row.kind === "row" ? [row.to] : []);
}

function numberColumn({ columns }: ListFacts): number {
  if (columns === undefined) return 0;
  return columns.others.length === 0 ? columns.to : -1;
}

/** Columns that would have a name of ours get another. */
function free(name: string, ours: readonly string[], all: readonly string[]): string {
  if (!ours.includes(fieldKey(name))) return name;
  let other = `${name} (source)`;
  while (all.some((each) => fieldKey(each) === fieldKey(other))) other += " (source)";
  return other;
}
