import type { EndingKind } from "../../errors.ts";
import { readingText } from "../../output/text.ts";
import { chooseProfile } from "../../profiles/resolve.ts";
import { requireHeader } from "../../record/header.ts";
import type { Retry } from "../../runs/due.ts";
import { resumeRun } from "../../runs/planning.ts";
import { runFiles, watchedFiles } from "../../record/folder/run-files.ts";
import type { Context } from "../shared/context.ts";
import { countryOf, sendDefaults, stateOf } from "../shared/profile.ts";
import type { FirstFlags } from "./confirmation.ts";
import { type GuardFlags, openGuards, readingLists } from "../shared/guards.ts";
import type { HourFlags } from "../shared/hours.ts";
import { type GlobalOptions, noSuchOption } from "../shared/options.ts";
import { confirmAndSend, type PolicyFlags } from "./sending.ts";

/** Sends what is left of a run. */
export async function resume(
  name: string,
  options: GlobalOptions &
    PolicyFlags &
    GuardFlags &
    HourFlags &
    Pick<FirstFlags, "acceptPrice"> & { readonly retry?: Retry },
  context: Context,
): Promise<EndingKind> {
  const { host, presenter } = context;
  const files = runFiles(stateOf(host), name);
  const { binding } = requireHeader(files);
  const isSandbox = binding.mode === "sandbox";
  if (isSandbox && options.profile !== undefined)
    throw noSuchOption("a run of the sandbox", "--profile", "leave it out: the sandbox uses no profile");
  const chosen = isSandbox ? undefined : chooseProfile(host, options.profile);
  const country = countryOf(undefined, sendDefaults(host.environment, chosen?.profile));
  const guards = await presenter.waitFor(readingLists, () => openGuards(options, chosen, country, true, host));
  // Its plan is read to check it, and again to count what is left.
  const { files: watched, share } = watchedFiles(files, { plans: 2, journals: 1 });
  const planning = () => readingText({ name: `run ${name}`, share });
  const command = { options, chosen, planning, guards };
  const selection = { retry: options.retry ?? [], guards };
  return confirmAndSend(command, context, (destination, consent) =>
    resumeRun(watched, destination, selection, host, consent),
  );
}
