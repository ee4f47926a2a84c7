import type { Outcome } from "../../message/outcome.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page } from "../../terminal/presenter.ts";
import { countText } from "../../words/count.ts";
import { failureHeading } from "../../terminal/text.ts";
import type { PlannedMessage } from "../../record/plan.ts";
import { lineText } from "../../recipients/row.ts";

interface FailureGroup {
  readonly outcome: Exclude<Outcome, { kind: "accepted" }>;
  readonly first: readonly PlannedMessage[];
  readonly count: number;
}

/** Reasons that are kept: a service may word each of its refusals differently. */
const mostKept = 100;

/** Messages that are named for a reason, and reasons that are shown. */
const mostNamed = 3;
const mostShown = 5;

/** Gathers the failed messages of a run by outcome and reason, in the order in which each reason came up. */
export function gatherFailures() {
  const groups = new Map<string, { outcome: FailureGroup["outcome"]; first: PlannedMessage[]; count: number }>();
  return {
    add: (message: PlannedMessage, outcome: Outcome) => {
      if (outcome.kind === "accepted") return;
      const reason = `${outcome.kind} ${outcome.failure.error}`;
      const group = groups.get(reason) ?? { outcome, first: [], count: 0 };
      if (group.count === 0 && groups.size === mostKept) return;
      groups.set(reason, group);
      group.count++;
      if (group.first.length < mostNamed) group.first.push(message);
    },
    groups: (): readonly FailureGroup[] => [...groups.values()],
  };
}

export type Failures = ReturnType<typeof gatherFailures>;

/** Returns the most frequent reasons with their first messages, uncertain ones first, and how many failures have other reasons. */
export function failuresText(
  { failures, all, more }: { readonly failures: Failures; readonly all: number; readonly more: string },
  page: Page,
): string {
  const isUncertain = ({ outcome }: FailureGroup) => Number(outcome.kind === "uncertain");
  const byWeight = failures.groups().toSorted((a, b) => isUncertain(b) - isUncertain(a) || b.count - a.count);
  const shown = byWeight.slice(0, mostShown);
  const rest = all - shown.reduce((sum, { count }) => sum + count, 0);
  const lines = shown.map((group) => groupText(group, page));
  if (shown.length > 0 && rest > 0) lines.push(`  and ${countText(rest)} more: ${more}\n`);
  return lines.join("");
}

function groupText({ outcome, first, count }: FailureGroup, page: Page): string {
  const [one] = first;
  if (count === 1 && one !== undefined) return failureLine(one, outcome, page);
  const heading = `${countText(count)} ${failureHeading[outcome.kind].toLowerCase()}: ${page.foreign(outcome.failure.error)}`;
  const messages = first.map(({ line, to }) => `${lineText(line)} ${to}`).join(", ");
  const places = count > first.length ? `first ${messages}` : messages;
  return `${fitted(page, heading, [2, 4])}\n${fitted(page, places, 4)}\n`;
}

export function failureLine({ line, to }: PlannedMessage, outcome: Outcome | undefined, page: Page): string {
  const who = `${lineText(line)}  ${to}  `;
  if (outcome === undefined) return `  ${who}not tried yet\n`;
  const why = outcome.kind === "accepted" ? "" : `: ${page.foreign(outcome.failure.error)}`;
  return `${fitted(page, `${who}${failureHeading[outcome.kind].toLowerCase()}${why}`, [2, 4])}\n`;
}
