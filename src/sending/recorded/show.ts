import { lineText } from "../../recipients/row.ts";
import { isOnPurpose, type LeftOutRow, leftOutWords } from "../../record/left-out.ts";
import { isAllAccepted } from "../../record/ledger.ts";
import { modeOfRun } from "../../record/header.ts";
import { type RunListing, whileReading } from "../../reports/run.ts";
import type { MessageResult, RecordedRun, RunOwner } from "../../record/runs.ts";
import { messageJson } from "../views/plan-view.ts";
import { leftOutJson, recipientJson } from "../views/outcome-json.ts";
import {
  failureLine,
  Failures,
  failuresText,
  nextText,
  resumeCommand,
  resumeText,
  rowLine,
  summaryJson,
  summaryText,
} from "../views/run-summary.ts";
import type { Context, LongView, Page } from "../../terminal/context.ts";
import { fitted } from "../../terminal/layout.ts";
import { agoText } from "../../terminal/ago.ts";
import { actorText, reachesPhone } from "../../terminal/text.ts";
import { countText } from "../../words/count.ts";

export interface ShownRows {
  /** Who was to get the text and did not. */
  readonly showsFailed: boolean;
  /** Who was left out on purpose. */
  readonly showsLeftOut: boolean;
}

export function showRun(name: string, rows: ShownRows, profile: string | undefined, context: Context): Promise<void> {
  return whileReading(name, profile, context, async (run, runs) => {
    const owner = await runs.owner(name);
    const view = runView({ ...run, tally: run.ledger.tally() }, owner, rows, await runs.now());
    return context.presenter.stream(view);
  });
}

export interface ShownRun extends RunListing, Pick<RecordedRun, "readResults" | "readLeftOut"> {}

const mostShown = 160;

/** While a process sends the run, there is no next step. */
export function runView(run: ShownRun, owner: RunOwner | undefined, rows: ShownRows, now: number): LongView {
  const { header, by: beganBy, tally, readResults } = run;
  const { name, started, binding } = header;
  return {
    json: async function* json(page) {
      let first: MessageResult["message"] | undefined;
      for await (const { message, outcome, by } of readResults()) {
        first ??= message;
        const isShown = rows.showsFailed ? outcome?.kind !== "accepted" : !rows.showsLeftOut;
        if (isShown) yield recipientJson(message, outcome, page, by);
      }
      for await (const row of run.readLeftOut()) if (isRowShown(row, rows)) yield leftOutJson(row, page);
      yield {
        ...summaryJson(name, tally, isAllAccepted(tally) ? "accepted" : "incomplete"),
        leftOut: tally.leftOut,
        first: first && { line: first.line, ...messageJson(first, page) },
        started,
        baseUrl: binding.baseUrl,
        mode: modeOfRun(header),
        ...beganBy,
        owner: owner && page.redact(owner.process),
      };
    },
    text: async function* text(page) {
      const payment = { mode: binding.mode, isSandbox: header.isSandbox === true };
      yield summaryText(name, tally, payment, page);
      const began = agoText(Date.parse(started), now) + (beganBy === undefined ? "" : ` by ${actorText(beganBy)}`);
      yield `${fitted(page, page.foreign(`started ${began}, ${modeOfRun(header)}, at ${binding.baseUrl}`), 2)}\n`;
      if (rows.showsFailed) yield* failedTexts(run, page);
      if (rows.showsLeftOut) yield* leftOutTexts(run, page);
      if (!rows.showsFailed && !rows.showsLeftOut) yield* failureTexts(run, page);
      if (owner !== undefined) return yield `${fitted(page, sendingText(name, owner), 2)}\n`;
      if (tally.isClosed) return yield `${fitted(page, "Closed: nothing more is sent under this name.", 2)}\n`;
      const resume = resumeCommand(name, header.profile);
      yield resumeText(resume, tally, page);
      const why = `once you know that they ${reachesPhone(payment) ? "did not arrive" : "were not taken"}`;
      if (tally.uncertain > 0) yield nextText(`${resume} --retry uncertain`, why, page);
    },
  };
}

function isRowShown(row: LeftOutRow, { showsFailed, showsLeftOut }: ShownRows): boolean {
  return showsFailed === showsLeftOut || showsFailed !== isOnPurpose(row);
}

const mostLeftOut = 20;

/** Rows that were left out after the plan was made come last, so this sorts the rows by line. */
async function* leftOutTexts({ readLeftOut }: ShownRun, page: Page): AsyncGenerator<string> {
  let count = 0;
  let first: readonly LeftOutRow[] = [];
  for await (const row of readLeftOut()) {
    if (!isOnPurpose(row)) continue;
    if (++count <= mostLeftOut || row.line < (first.at(-1)?.line ?? 0))
      first = [...first, row].toSorted((a, b) => a.line - b.line).slice(0, mostLeftOut);
  }
  const width = Math.max(...first.map((row) => placeOf(row).length));
  for (const row of first) yield leftOutText(row, page, width);
  if (count > mostLeftOut) yield `  and ${countText(count - mostLeftOut)} more: --json lists all\n`;
}

function placeOf({ where, line }: LeftOutRow): string {
  return where ?? lineText(line);
}

function leftOutText(row: LeftOutRow, page: Page, width: number): string {
  return rowLine(page.foreign(placeOf(row)), width, page.foreign(`${row.to}  ${leftOutWords(row)}`), page);
}

async function* failureTexts({ readResults }: ShownRun, page: Page): AsyncGenerator<string> {
  const failures = new Failures();
  let others = 0;
  let isFirst = true;
  for await (const { message, outcome } of readResults()) {
    if (isFirst) yield firstText(message.text, page);
    isFirst = false;
    if (outcome === undefined || outcome.kind === "accepted") continue;
    others++;
    failures.add(message, outcome);
  }
  yield failuresText(failures, others, "--failed lists them", page);
}

function firstText(text: string, page: Page): string {
  const start = text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
  return `${fitted(page, `first text: ${page.foreign(start)}`, [2, 4])}\n`;
}

/** Everybody who was to get the text and did not, by outcome; those who were not tried are one line. */
async function* failedTexts({ readResults, readLeftOut, tally }: ShownRun, page: Page): AsyncGenerator<string> {
  let width = 0;
  for await (const { message, outcome } of readResults())
    if (outcome !== undefined && outcome.kind !== "accepted") width = Math.max(width, lineText(message.line).length);
  for await (const row of readLeftOut()) if (!isOnPurpose(row)) width = Math.max(width, placeOf(row).length);
  for (const kind of ["uncertain", "rejected", "unsent"] as const) {
    if (tally[kind] === 0) continue;
    for await (const { message, outcome } of readResults())
      if (outcome?.kind === kind) yield failureLine(message, outcome, page, width);
  }
  for await (const row of readLeftOut()) if (!isOnPurpose(row)) yield leftOutText(row, page, width);
  if (tally.pending > 0) yield `  ${countText(tally.pending)} not tried yet\n`;
}

function sendingText(run: string, { process, isSure }: RunOwner): string {
  if (isSure) return `Now: ${process} is sending it; wait until it ends, or stop it there.`;
  return `Now: ${process} may be sending it; if you know that it is gone, sms runs unlock ${run}`;
}
