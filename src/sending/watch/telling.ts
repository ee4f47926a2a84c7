import type { WatchOptions } from "../options.ts";
import { readZone } from "../../guards/hours.ts";
import type { Outcome } from "../../message/outcome.ts";
import { zoneHere } from "../../profiles/defaults.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { isOfAccount } from "../../record/ledger.ts";
import type { Context } from "../../terminal/context.ts";
import type { Notice, TextResult } from "./gatherer.ts";
import type { Texts } from "./texts.ts";
import { sayFailure, textView } from "./views.ts";
import { textOf } from "./wording.ts";

export function openTeller(texts: Texts, options: WatchOptions, { host, presenter }: Context) {
  const zone = readZone(texts.zone ?? zoneHere(host), "the time zone");
  const { destination } = texts;
  const count = { texts: 0, notAccepted: 0 };
  /** Each recipient has an error code here, so that the same failure is reported once. */
  const lastFailures = new Map<string, string>();

  const reportOnce = (to: string, outcome: Extract<Outcome, { kind: "rejected" | "unsent" }>) => {
    const { errorCode } = outcome.failure;
    if (lastFailures.get(to) !== errorCode && !host.interruption().stop.aborted)
      sayFailure(to, outcome, credentialsSource(destination), presenter);
    lastFailures.set(to, errorCode);
  };
  const tell = async (to: string, notice: Notice): Promise<TextResult> => {
    const at = host.wallClock();
    const text = textOf(notice, at, options, zone);
    const outcome = options.dryRun ? undefined : await texts.send(to, text);
    if (outcome?.kind === "rejected" || outcome?.kind === "unsent") reportOnce(to, outcome);
    else lastFailures.delete(to);
    const result = resultOf(outcome);
    if (result.kind === "unsent") return result;
    if (result.kind === "told") count.texts++;
    if (outcome !== undefined && outcome.kind !== "accepted") count.notAccepted++;
    presenter.show(textView({ at, to, text, batch: notice.batch, zone, mode: destination.mode }, outcome));
    return result;
  };
  return { tell, count, holdAt: texts.holdAt };
}

/** A refusal of the account would hold for every text, so the lines are kept until the cause is gone. */
function resultOf(outcome: Outcome | undefined): TextResult {
  if (outcome === undefined || outcome.kind === "accepted" || outcome.kind === "uncertain") return { kind: "told" };
  const isRefusal = outcome.kind === "rejected" && !isOfAccount(outcome.failure);
  return isRefusal ? { kind: "refused" } : { kind: "unsent", reason: outcome.failure.error };
}
