import type { EndingKind } from "../../errors.ts";
import { unknownAmong } from "../../runs/due.ts";
import { resumeRun } from "../../runs/planning.ts";
import { loadStore } from "../../profiles/resolve.ts";
import { findProfile } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { countryOf, profileOf } from "../shared/profile.ts";
import { requireRecord } from "../shared/record.ts";
import type { RunOptions } from "./confirmation.ts";
import { openGuards, readingLists } from "../shared/guards.ts";
import { noSuchOption } from "../shared/options.ts";
import { planAndSend } from "./sending.ts";

export async function resume(
  name: string,
  options: RunOptions & { readonly onlyTo?: string },
  context: Context,
): Promise<EndingKind> {
  const { host, presenter } = context;
  // A run of the sandbox refuses any profile, whether it exists or not.
  const named = options.profile === undefined ? undefined : { profile: findProfile(loadStore(host), options.profile) };
  const runs = await requireRecord(host, "runs", named).runs();
  const run = await runs.read(name);
  if (run === undefined) throw await unknownAmong(runs, name);
  const isSandbox = run.header.binding.mode === "sandbox";
  if (isSandbox && options.profile !== undefined)
    throw noSuchOption("a run of the sandbox", "--profile", "leave it out: the sandbox uses no profile");
  const { chosen, defaults } = profileOf({ ...options, sandbox: isSandbox }, host);
  const country = countryOf(undefined, defaults);
  const guards = await presenter.waitFor(readingLists, () => openGuards(options, chosen, country, host));
  const planning = `Reading run ${name}`;
  const selection = { retry: options.retry ?? [], guards };
  return planAndSend({ name, options, chosen, planning, guards }, context, {
    open: (destination, consent) => resumeRun({ runs, name, onWait: presenter.note, destination }, selection, consent),
  });
}
