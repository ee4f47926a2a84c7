import type { WatchOptions } from "../options.ts";
import { readZone } from "../../guards/hours.ts";
import { countSegments } from "../../message/segments.ts";
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
  const { mode } = texts.destination;
  const count = { texts: 0, uncertain: 0, refused: 0 };
  /** The last failure of each recipient is said once. */
  const said = new Map<string, string>();

  const noteUnsent = (to: string, outcome: Extract<Outcome, { kind: "rejected" | "unsent" }>) => {
    const { errorCode } = outcome.failure;
    if (said.get(to) !== errorCode && !host.interruption().stop.aborted)
      sayFailure(to, outcome, credentialsSource(texts.destination), presenter);
    said.set(to, errorCode);
  };
  return {
    count,
    tell: async (to: string, notice: Notice): Promise<TextResult> => {
      const at = host.wallClock();
      const text = textOf(notice, at, options, zone);
      const { segments } = countSegments(text);
      const outcome = options.dryRun ? undefined : await texts.send(to, text);
      const result = resultOf(outcome);
      if (result.kind === "told") count.texts++;
      if (result.kind === "refused") count.refused++;
      if (outcome?.kind === "uncertain") count.uncertain++;
      if (outcome?.kind === "rejected" || outcome?.kind === "unsent") noteUnsent(to, outcome);
      else said.delete(to);
      const told = { at, to, text, segments, batch: notice.batch, zone, mode };
      if (result.kind !== "unsent") presenter.show(textView(told, outcome));
      return result;
    },
  };
}

/** A refusal of the account would hold for every text, so the lines are kept until the cause is gone. */
function resultOf(outcome: Outcome | undefined): TextResult {
  if (outcome === undefined || outcome.kind === "accepted" || outcome.kind === "uncertain") return { kind: "told" };
  const isRefused = outcome.kind === "rejected" && !isOfAccount(outcome.failure);
  return isRefused ? { kind: "refused" } : { kind: "unsent", reason: outcome.failure.error };
}
