import type { EndingKind } from "../../errors.ts";
import { readingText } from "../../output/text.ts";
import { requireHeader } from "../../record/header.ts";
import { resumeRun } from "../../runs/planning.ts";
import { runFiles, watchedFiles } from "../../record/folder/run-files.ts";
import type { Context } from "../shared/context.ts";
import { countryOf, profileOf, stateOf } from "../shared/profile.ts";
import type { RunOptions } from "./confirmation.ts";
import { openGuards, readingLists } from "../shared/guards.ts";
import { noSuchOption } from "../shared/options.ts";
import { confirmAndSend, type RunCommand } from "./sending.ts";

/** Sends what is left of a run. */
export async function resume(
  name: string,
  options: RunOptions & { readonly onlyTo?: string },
  context: Context,
): Promise<EndingKind> {
  const { host, presenter } = context;
  const files = runFiles(stateOf(host), name);
  const { binding } = requireHeader(files);
  const isSandbox = binding.mode === "sandbox";
  if (isSandbox && options.profile !== undefined)
    throw noSuchOption("a run of the sandbox", "--profile", "leave it out: the sandbox uses no profile");
  const { chosen, defaults } = profileOf({ ...options, sandbox: isSandbox }, host);
  const country = countryOf(undefined, defaults);
  const guards = await presenter.waitFor(readingLists, () => openGuards(options, chosen, country, true, host));
  // Its plan is read to check it, and again to count what is left.
  const { files: watched, share } = watchedFiles(files, { plans: 2, journals: 1 });
  const planning = () => readingText({ name: `run ${name}`, share });
  const selection = { retry: options.retry ?? [], guards };
  const open: RunCommand["open"] = (destination, consent) => resumeRun(watched, destination, selection, host, consent);
  return confirmAndSend({ options, chosen, planning, guards, open }, context);
}
