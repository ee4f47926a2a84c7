import { lineText } from "../../recipients/row.ts";
import { MessageSet } from "../../record/message-set.ts";
import { type DraftMessage, type PlannedMessage, type PlanSummary, summarizePlan } from "../../record/plan.ts";
import { countText, plural } from "../../words/count.ts";

export interface Changes {
  readonly words: string;
  readonly isOtherText: boolean;
}

/** A message that was held back and may go now is another row, because the run would never send the message. */
export async function changesIn(
  drafts: AsyncIterable<DraftMessage>,
  planned: AsyncIterable<PlannedMessage>,
  plan: PlanSummary,
  list: { readonly hasFile: boolean; readonly hasOwnTexts: boolean },
): Promise<Changes | undefined> {
  const messages = new MessageSet();
  const rows = new MessageSet();
  for await (const message of planned) {
    messages.add(message, message.index);
    rows.add(rowOf(message), message.index);
  }
  let count = 0;
  let firstLine: number | undefined;
  let same = 0;
  let isOtherText = false;
  async function* compared(): AsyncGenerator<DraftMessage, void> {
    for await (const draft of drafts) {
      yield draft;
      if (messages.indexOf(draft) !== undefined) same++;
      else if (draft.hold === undefined) {
        count++;
        firstLine ??= draft.line;
        isOtherText ||= !list.hasOwnTexts && rows.indexOf(rowOf(draft)) !== undefined;
      }
    }
  }
  const { digests } = await summarizePlan(compared());
  if (firstLine !== undefined) {
    const differ = count === 1 ? "differs" : "differ";
    return {
      words: `other rows: ${countText(count)} ${differ}, first ${lineText(firstLine, list.hasFile)}`,
      isOtherText,
    };
  }
  if (digests.messages === plan.digests.messages) return undefined;
  const missing = plan.messages - same;
  return { words: missing > 0 ? `${plural(missing, "row")} more` : "other senders", isOtherText: missing === 0 };
}

/** If these are the same, only another template makes another text; a row that was corrected has other fields. */
function rowOf({ to, fields = {} }: DraftMessage) {
  return { to, text: JSON.stringify(fields) };
}
