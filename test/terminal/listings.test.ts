import { describe, expect, it } from "vitest";
import { previewOf } from "../../src/message/preview.ts";
import { messagesView } from "../../src/commands/sandbox.ts";
import { previewView } from "../../src/commands/preview.ts";
import { runsView } from "../../src/commands/runs.ts";
import type { RunListing } from "../../src/reports/run.ts";
import { emptyTally, headerOf, terminal, widest } from "./page.ts";

const now = Date.UTC(2026, 10, 22, 12);
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

function listing(name: string, minutes: number, accepted: number, rejected: number): RunListing {
  const tally = { ...emptyTally, accepted, rejected, uncertain: rejected };
  return { header: headerOf(name, minutesAgo(minutes), accepted + rejected, "test"), tally };
}

const runs = [listing("20261122-020844-qhsj", 2, 1_000, 0), listing("topup", 180, 38, 1)];

const message = { messageId: "1", at: minutesAgo(2), to: "+254712345678", senderId: "ACME", segments: 1 };
const log = [{ ...message, mode: "test", message: "Hi Ann, you owe KES 300. Please pay by Friday." } as const];

const preview = previewOf(`It’s “due” – ${"pay by Friday, please. ".repeat(5)}`);
const price = { kesPerCredit: 0.8, ageDays: 3 };

const views = { runs: runsView(runs, now), messages: messagesView(log, now), preview: previewView(preview, price) };

describe("on a terminal", () => {
  it.each(Object.entries(views).flatMap(([name, view]) => [80, 50].map((columns) => ({ name, view, columns }))))(
    "$name fits $columns columns",
    ({ view, columns }) => {
      expect(widest(view.text(terminal(columns)))).toBeLessThanOrEqual(columns);
    },
  );

  it("a list has aligned columns", () => {
    expect(views.runs.text(terminal(80)).split("\n")).toEqual([
      "  RUN                   MODE  STARTED    ACCEPTED        NOT ACCEPTED",
      "  20261122-020844-qhsj  test  2 min ago  1,000 of 1,000",
      "  topup                 test  3 h ago    38 of 40        1 rejected, 1 uncertain",
      "",
    ]);
  });

  it("a list that is too wide has its last column wrapped", () => {
    expect(views.messages.text(terminal(80)).split("\n")).toEqual([
      "  TIME       TO             FROM  MODE  SEGMENTS  TEXT",
      "  2 min ago  +254712345678  ACME  test  1         Hi Ann, you owe KES 300.",
      "                                                  Please pay by Friday.",
      "",
    ]);
  });

  it("a list that is far too wide has its names on lines of their own, and cuts nothing", () => {
    expect(views.runs.text(terminal(50)).split("\n")).toEqual([
      "  20261122-020844-qhsj",
      "    mode test, started 2 min ago, accepted 1,000",
      "    of 1,000",
      "  topup",
      "    mode test, started 3 h ago, accepted 38 of 40,",
      "    not accepted 1 rejected, 1 uncertain",
      "",
    ]);
  });
});

describe("elsewhere", () => {
  it("a list has a line for each row, however long, and the same times", () => {
    const page = { ...terminal(50), isTerminal: false };
    expect(views.messages.text(page)).toContain("  2 min ago  +254712345678  ACME  test  1         Hi Ann, you owe");
  });

  it("JSON has the times as they are", () => {
    expect(views.runs.json(terminal(80))).toMatchObject([{ started: "2026-11-22T11:58:00.000Z" }, {}]);
  });
});
