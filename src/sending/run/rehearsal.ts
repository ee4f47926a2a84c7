import type { SendOptions } from "../options.ts";
import { holdOf, type RowGuard } from "../../recipients/hold.ts";
import type { Country } from "../../message/number.ts";
import { toGsm7 } from "../../message/look-alikes.ts";
import { causes } from "../../recipients/row.ts";
import { numberKey } from "../../message/number-set.ts";
import { countSegments } from "../../message/segments.ts";
import { requireText } from "../../message/text.ts";
import { countText, plural } from "../../words/count.ts";
import { refuseHold, requireNumber } from "../../recipients/one-message.ts";
import { LeftOutSample } from "../../record/left-out.ts";
import type { DraftMessage, PlanRow } from "../../record/plan.ts";

const mostRehearsed = 3;

/** Throws a usage error if nothing may be sent to that number. */
export async function rehearsalOf(
  { redirectTo, run, gsm7 }: Pick<SendOptions, "redirectTo" | "run" | "gsm7">,
  country: Country | undefined,
  guards: readonly RowGuard[],
) {
  if (redirectTo === undefined) return undefined;
  const { e164: to, assigned } = await requireNumber(redirectTo, country, "--redirect-to");
  const requireFree = (ofList: readonly RowGuard[]) => refuseHold(holdOf(ofList, numberKey(to)));
  requireFree(guards);
  const leftOutSample = new LeftOutSample();
  const drafts: DraftMessage[] = [];
  let all = 0;
  return {
    name: run === undefined ? "rehearsal" : `${run}-rehearsal`,
    /** This guard lets those recipients through that the run would refuse. */
    guard: {
      hold: (key: number) => guards.flatMap(({ hold }) => hold?.(key) ?? []).find(({ effect }) => effect !== "fault"),
    },
    requireFree,
    /** The plan of a rehearsal says whom the run leaves out, and the rehearsal keeps none of them. */
    leftOutSample,
    /** Reads the rest as well, so that all are counted. Throws a usage error for a text that becomes too long. */
    redirect: async (planRows: AsyncIterable<PlanRow>): Promise<readonly DraftMessage[]> => {
      for await (const row of planRows) {
        if (row.kind === "left-out") {
          leftOutSample.add(row);
          continue;
        }
        all++;
        if (drafts.length === mostRehearsed) continue;
        const marked = `[for …${row.to.slice(-3)}] ${row.text}`;
        const text = requireText(gsm7 ? toGsm7(marked).text : marked);
        drafts.push({ ...row, to, text, segments: countSegments(text).segments });
      }
      return drafts;
    },
    text: () => {
      const warning = assigned ? "" : ` (${causes.unassigned})`;
      return `--redirect-to: ${countText(drafts.length)} of ${plural(all, "message")} to ${to}${warning} instead`;
    },
  };
}
