import { csvRecord } from "./formats/csv-text.ts";
import type { CleanRow } from "./clean.ts";
import type { ListFacts } from "./source.ts";

interface CleanFiles {
  readonly usable: (record: string) => void;
  readonly rejected: (record: string) => void;
}

const bom = "\uFEFF";

/** Excel reads UTF-8 by a mark at the beginning of the file. */
export function cleanWriter(files: CleanFiles, facts: ListFacts, isFile = true) {
  // The columns of NDJSON are known after its last row.
  const waiting: CleanRow[] = [];
  let columns: ReturnType<typeof columnsOf> | undefined;
  const begin = (names: readonly string[], to: number) => {
    columns = columnsOf(names, to, facts.sheet !== undefined);
    const mark = isFile ? bom : "";
    const ours = ["to", "line", ...(facts.format === "plain" ? ["name"] : [])];
    const reasons = ["line", "reason", "suggestion"];
    files.usable(mark + csvRecord([...ours, ...columns.usable(names).map(free(ours, names))]));
    files.rejected(mark + csvRecord([...reasons, ...columns.rejected(names).map(free(reasons, names))]));
    return columns;
  };
  const write = (result: CleanRow, cells: readonly string[]) => {
    const { usable, rejected } = (columns ??= begin(facts.columns?.names ?? ["to"], numberColumn(facts)));
    const { kind, line } = result;
    if (kind === "usable") {
      const name = facts.format === "plain" ? [result.name] : [];
      files.usable(csvRecord([result.to, line, ...name, ...usable(cells)]));
    } else if (kind === "rejected") {
      const { reason, hint, suggestion = "" } = result;
      const why = hint === undefined || suggestion !== "" ? reason : `${reason}; ${hint}`;
      files.rejected(csvRecord([line, why, suggestion, ...rejected(cells)]));
    }
  };
  return {
    add: (result: CleanRow) => {
      if (facts.format === "ndjson") waiting.push(result);
      else write(result, cellsOf(result.row));
    },
    end: (toKey: string) => {
      if (facts.format !== "ndjson") return;
      const names = [
        ...new Set([toKey, ...waiting.flatMap(({ row }) => (row.kind === "row" ? Object.keys(row.fields) : []))]),
      ];
      begin(names, 0);
      for (const result of waiting) {
        const { row } = result;
        // The number may be under another name than that of the other rows.
        const cellOf = (name: string) =>
          row.kind === "row" ? ((name === toKey ? row.to : row.fields[name]) ?? "") : "";
        write(result, row.kind === "row" ? names.map(cellOf) : cellsOf(row));
      }
    },
  };
}

function cellsOf(row: CleanRow["row"]): readonly string[] {
  return row.cells ?? (row.kind === "row" ? [row.to] : []);
}

function numberColumn({ columns }: ListFacts): number {
  if (columns === undefined) return 0;
  return columns.others.length === 0 ? columns.to : -1;
}

function columnsOf(names: readonly string[], to: number, isSheet: boolean) {
  const chosen = names.flatMap((name, index) => (name === "" || index === to ? [] : [index]));
  return {
    usable: (cells: readonly string[]) => chosen.map((index) => cells[index] ?? ""),
    // If a row of text is too short or too long, it stays so.
    rejected: (cells: readonly string[]) =>
      isSheet ? names.map((_, index) => cells[index] ?? "").concat(cells.slice(names.length)) : cells,
  };
}

function free(ours: readonly string[], names: readonly string[]) {
  const taken = names.map((name) => name.toLowerCase());
  return (name: string): string => {
    if (!ours.includes(name.trim().toLowerCase())) return name;
    let other = `${name} (source)`;
    while (taken.includes(other.toLowerCase())) other += " (source)";
    return other;
  };
}
