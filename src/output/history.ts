import type { Entry } from "../record/entry.ts";
import type { LongView, Page } from "./presenter.ts";
import { tableText } from "./table.ts";
import { countText, failureHeading, kes } from "./text.ts";

const heading = ["TIME (UTC)", "TO", "OUTCOME", "CREDITS", "KES", "KEY", "RUN", "SENDER", "MESSAGE"] as const;

/** What this machine sent; on a narrow page without the last columns. `entries` is read once. */
export function historyView(entries: Iterable<Entry>): LongView {
  return {
    isList: true,
    json: async function* json({ redacted }) {
      for (const entry of entries) yield entryJson(entry, redacted);
    },
    text: async function* text(page) {
      const rows: (readonly string[])[] = [heading];
      for (const entry of entries) {
        // While a long list is read, the terminal is still drawn and Ctrl-C still works.
        if (rows.push(cells(entry, page)) % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      if (rows.length > 1) yield tableText(fitting(rows, page.columns));
    },
  };
}

/** Returns an entry without what only `sms` itself needs. */
function entryJson(entry: Entry, redacted: Page["redacted"]) {
  const { at, kind, run, key, mode, to, sender, outcome, messageId, segments } = entry;
  const { totalCredits, totalCostKes, newBalance, httpStatus, errorCode } = entry;
  const texts = {
    sender: sender === null ? null : redacted(sender),
    outcome,
    messageId: messageId === undefined ? undefined : redacted(messageId),
  };
  const charge = { segments, totalCredits, totalCostKes, newBalance };
  return { at, kind, run, key, mode, to, ...texts, ...charge, httpStatus, errorCode };
}

function cells(entry: Entry, { foreign }: Page): readonly string[] {
  const { at, to, outcome, mode, totalCredits, totalCostKes, key, run, sender, messageId } = entry;
  const isTest = mode === "test";
  return [
    `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    to,
    `${outcome === "accepted" ? outcome : failureHeading[outcome].toLowerCase()}${isTest ? " (test)" : ""}`,
    totalCredits === undefined || isTest ? "" : countText(totalCredits),
    totalCostKes === undefined || isTest ? "" : kes(totalCostKes).replace("KES ", ""),
    foreign(key ?? ""),
    foreign(run ?? ""),
    foreign(sender ?? ""),
    foreign(messageId ?? entry.errorCode ?? ""),
  ];
}

/** Leaves out the last columns that do not fit into that width, and columns without a value. */
function fitting(rows: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  const [titles = [], ...values] = rows;
  let used = 0;
  let isFull = false;
  const kept = titles.map((_, column) => {
    if (!values.some((row) => row[column] !== "")) return false;
    used += 2 + rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0);
    isFull ||= used > width;
    return !isFull;
  });
  return rows.map((row) => row.filter((_, column) => kept[column]));
}
