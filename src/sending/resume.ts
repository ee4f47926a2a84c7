import { unknownAmong } from "../record/begun-run.ts";
import type { EndingKind } from "../errors.ts";
import { resumeRun } from "./planning.ts";
import { chooseProfile } from "../profiles/resolve.ts";
import type { Context } from "../terminal/context.ts";
import { countryOf, profileOf } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";
import type { RunOptions } from "./approval.ts";
import { openGuards, readingLists } from "../guards/open.ts";
import { planAndSend } from "./run.ts";

export async function resume(name: string, options: RunOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const runs = await requireRecord(host, "runs", chooseProfile(host, options.profile)).runs();
  const run = await runs.read(name);
  if (run === undefined) throw await unknownAmong(runs, name);
  const isSandbox = run.header.binding.mode === "sandbox";
  const { own, chosen, defaults } = profileOf({ ...options, sandbox: isSandbox }, host);
  const country = countryOf(undefined, defaults);
  const guards = await presenter.waitFor(readingLists, () => openGuards({ options, own, chosen, country, host }));
  const planning = `Reading run ${name}`;
  const selection = { retry: options.retry ?? [], guards: guards.ofRows };
  return planAndSend({ name, options, chosen, planning, guards }, context, {
    open: (destination, consent) => resumeRun({ runs, name, onWait: presenter.note, destination }, selection, consent),
  });
}
