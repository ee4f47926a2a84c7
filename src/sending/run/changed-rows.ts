import { otherNouns } from "../../message/fields.ts";
import { fieldKey } from "../../message/text.ts";
import { lineText, textKey } from "../../recipients/row.ts";
import { numberKey, NumberSet } from "../../message/number-set.ts";
import { MessageSet } from "../../record/message-set.ts";
import {
  type DraftMessage,
  type PlannedMessage,
  type PlanRow,
  type PlanSummary,
  summarizePlan,
} from "../../record/plan.ts";
import { countText, plural } from "../../words/count.ts";

export interface Changes {
  readonly words: string;
  readonly isOtherText: boolean;
}

/** Whoever the run left out stays left out, so a row that has opted out by now and one that had are the same. */
export async function changesIn(
  listed: AsyncIterable<PlanRow> | Iterable<PlanRow>,
  planned: AsyncIterable<PlannedMessage>,
  plan: PlanSummary,
  list: { readonly hasFile: boolean; readonly hasOwnTexts: boolean },
): Promise<Changes | undefined> {
  const messages = new MessageSet();
  const rows = new MessageSet();
  const numbers = new NumberSet();
  for await (const message of planned) {
    messages.add(message, message.index);
    rows.add({ to: message.to, text: fieldsOf(message) }, message.index);
    numbers.add(numberKey(message.to));
  }
  /** A row that was corrected has other fields. If either has none, only the text can be another. */
  const isSameRow = ({ to, fields }: DraftMessage) => {
    const content = fieldsOf({ fields });
    const among = [content, noFields].some((text) => rows.has({ to, text }));
    return among || (content === noFields && numbers.has(numberKey(to)));
  };
  let count = 0;
  let firstLine: number | undefined;
  let same = 0;
  let otherTexts = 0;
  async function* compared(): AsyncGenerator<PlanRow, void> {
    for await (const row of listed) {
      yield row;
      const message = row.kind === "left-out" ? row.held : row;
      if (message !== undefined && messages.has(message)) same++;
      else if (row.kind !== "left-out") {
        count++;
        firstLine ??= row.line;
        if (!list.hasOwnTexts && isSameRow(row)) otherTexts++;
      }
    }
  }
  const { digests } = await summarizePlan(compared());
  if (digests.messages === plan.digests.messages) return undefined;
  if (firstLine !== undefined) {
    const what = [otherTexts > 0 ? "another text" : "", otherTexts < count ? "other rows" : ""].filter(Boolean);
    const differ = `${countText(count)} ${count === 1 ? "differs" : "differ"}`;
    return {
      words: `${what.join(" and ")}: ${differ}, first ${lineText(firstLine, list.hasFile)}`,
      isOtherText: otherTexts > 0,
    };
  }
  const missing = plan.messages - same;
  const others = `other ${otherNouns.map((noun) => `${noun}s`).join(" or ")}`;
  return { words: missing > 0 ? `${plural(missing, "row")} more` : others, isOtherText: missing === 0 };
}

/** A text of the row's own is no field, but is one beside the text of a command. */
function fieldsOf({ fields = {} }: Pick<DraftMessage, "fields">): string {
  return JSON.stringify(Object.entries(fields).filter(([name]) => fieldKey(name) !== textKey));
}

const noFields = fieldsOf({});
