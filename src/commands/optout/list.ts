import { loadOptOuts } from "../../guards/opt-out-store.ts";
import { optOutsView } from "../../output/opt-outs.ts";
import type { Context } from "../shared/context.ts";
import { stateOf } from "../shared/state.ts";

export function listOptOuts({ host, presenter }: Context): void {
  const list = loadOptOuts(stateOf(host, "opt-outs"));
  presenter.show(optOutsView(list));
  if (list.length === 0) presenter.note("Nobody has opted out: `sms optout add NUMBER` adds a number.");
}
