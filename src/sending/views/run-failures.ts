import type { Outcome } from "../../message/outcome.ts";
import type { PlannedMessage } from "../../record/plan.ts";
import { lineText } from "../../recipients/row.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page } from "../../terminal/presenter.ts";
import { failureHeading } from "../../terminal/text.ts";
import { countText } from "../../words/count.ts";

interface FailedMessage {
  readonly message: PlannedMessage;
  readonly outcome: Exclude<Outcome, { kind: "accepted" }>;
}

const mostShown = 5;

/** Messages that may have arrived come first. */
export class Failures {
  readonly #uncertain: FailedMessage[] = [];
  readonly #others: FailedMessage[] = [];

  add(message: PlannedMessage, outcome: Outcome): void {
    if (outcome.kind === "accepted") return;
    const list = outcome.kind === "uncertain" ? this.#uncertain : this.#others;
    if (list.length < mostShown) list.push({ message, outcome });
  }

  first(): readonly FailedMessage[] {
    return [...this.#uncertain, ...this.#others].slice(0, mostShown);
  }
}

export function failuresText(failures: Failures, all: number, more: string | undefined, page: Page): string {
  const shown = failures.first();
  const lines = shown.map(({ message, outcome }) => failureLine(message, outcome, page));
  if (shown.length > 0 && all > shown.length)
    lines.push(`  and ${countText(all - shown.length)} more${more === undefined ? "" : `: ${more}`}\n`);
  return lines.join("");
}

export function failureLine({ line, to }: PlannedMessage, outcome: Outcome, page: Page): string {
  const why = outcome.kind === "accepted" ? "" : `: ${page.foreign(outcome.failure.error)}`;
  return `${fitted(page, `${lineText(line)}  ${to}  ${failureHeading[outcome.kind].toLowerCase()}${why}`, [2, 4])}\n`;
}
