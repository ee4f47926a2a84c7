import { csvRecord } from "../recipients/formats/csv-text.ts";
import type { Entry } from "../record/history.ts";
import { listingText } from "../terminal/layout.ts";
import type { LongView, Page } from "../terminal/presenter.ts";
import { visible } from "../terminal/redact.ts";
import { actorText, failureHeading, kes } from "../terminal/text.ts";
import { countText } from "../words/count.ts";

const headings = ["TO", "OUTCOME", "CREDITS", "KES", "DETAILS"] as const;

export interface HistoryForm {
  readonly isCsv: boolean;
  readonly localTime: (at: number) => string;
}

export function historyView(
  entries: AsyncIterable<Entry>,
  { isCsv, localTime }: HistoryForm,
  currentName: (profile: string) => string,
): LongView {
  const rowOf = (entry: Entry, redact: Page["redact"]) => {
    const { sender, messageId, profile } = entry;
    const row = {
      ...entry,
      profile: profile && currentName(profile),
      sender: sender && redact(sender),
      messageId: messageId && redact(messageId),
    };
    return Object.fromEntries(columns.map((name) => [name, row[name]]));
  };
  return {
    isList: true,
    json: async function* json({ redact }) {
      for await (const entry of entries) yield rowOf(entry, redact);
    },
    text: async function* text(page) {
      if (isCsv) {
        yield `${columns.join(",")}\n`;
        for await (const entry of entries) yield csvLine(rowOf(entry, page.redact));
        return;
      }
      const rows: (readonly string[])[] = [[page.isTerminal ? "LOCAL TIME" : "TIME (UTC)", ...headings]];
      for await (const entry of entries) rows.push(cells(entry, localTime, page));
      yield listingText(page, rows, true);
    },
  };
}

const columns = [
  "at",
  "kind",
  "run",
  "profile",
  "key",
  "mode",
  "to",
  "sender",
  "outcome",
  "messageId",
  "segments",
  "totalCredits",
  "totalCostKes",
  "newBalance",
  "httpStatus",
  "errorCode",
  "user",
  "machine",
] as const satisfies readonly (keyof Entry)[];

function csvLine(row: Readonly<Record<string, string | number | null | undefined>>): string {
  const values = columns.map((name) => row[name] ?? undefined);
  return `${csvRecord(values.map((value) => (typeof value === "string" ? visible(value) : value)))}\n`;
}

function cells(entry: Entry, localTime: HistoryForm["localTime"], { foreign, isTerminal }: Page): readonly string[] {
  const { at, to, outcome, mode, totalCredits, totalCostKes, key, run, sender, machine, errorCode } = entry;
  const isFree = mode === "test" || mode === "sandbox";
  const details = [
    errorCode,
    run && `run ${run}`,
    key,
    sender,
    machine && `by ${actorText({ ...entry, machine })}`,
    // A terminal has no room for the id.
    isTerminal ? undefined : entry.messageId,
  ];
  return [
    isTerminal ? localTime(Date.parse(at)) : `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    to,
    `${outcome === "accepted" ? outcome : failureHeading[outcome].toLowerCase()}${isFree ? ` (${mode})` : ""}`,
    totalCredits === undefined || isFree ? "" : countText(totalCredits),
    totalCostKes === undefined || isFree ? "" : kes(totalCostKes).replace("KES ", ""),
    foreign(details.filter(Boolean).join(", ")),
  ];
}
