import { readCountry } from "../../core/number.ts";
import type { EndingKind } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { chooseProfile, type ChosenProfile, loadStore } from "../../profiles/resolve.ts";
import { numberKey } from "../../recipients/check.ts";
import { readExclusions } from "../../recipients/exclusions.ts";
import { requireHeader } from "../../runs/header.ts";
import type { Retry } from "../../runs/due.ts";
import { resumeRun } from "../../runs/planning.ts";
import { runFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { openExclusions } from "../shared/exclusions.ts";
import { type GlobalOptions, noSuchOption } from "../shared/options.ts";
import { conduct } from "../shared/run-command.ts";
import type { PolicyFlags } from "../shared/run-policy.ts";
import { stateOf } from "../shared/state.ts";

/** Sends what is left of a run. */
export async function resume(
  name: string,
  options: GlobalOptions & PolicyFlags & { readonly retry?: Retry; readonly exclude?: string },
  context: Context,
): Promise<EndingKind> {
  const { host } = context;
  const files = runFiles(stateOf(host), name);
  const { binding } = requireHeader(files);
  const isSandbox = binding.mode === "sandbox";
  if (isSandbox && options.profile !== undefined)
    throw noSuchOption("a run of the sandbox", "--profile", "leave it out: the sandbox uses no profile");
  const chosen = isSandbox ? undefined : chooseProfile(loadStore(host), host.environment, options.profile);
  const isExcluded = await exclusionsOf(options.exclude, chosen, host);
  const command = { options, chosen, notes: () => ({ leftOut: [], warnings: [] }), isExcluded };
  const selection = { retry: options.retry ?? [], isExcluded };
  return conduct(command, context, (destination, consent) => resumeRun(files, destination, selection, host, consent));
}

/** Returns whether a number is in the file of `--exclude`. */
async function exclusionsOf(
  path: string | undefined,
  chosen: ChosenProfile | undefined,
  host: Host,
): Promise<(to: string) => boolean> {
  if (path === undefined) return () => false;
  const country = host.environment["SMS_COUNTRY"] || chosen?.profile?.defaults.country;
  const excluded = await readExclusions(openExclusions(path, host), () => (country ? readCountry(country) : undefined));
  return (to) => excluded.has(numberKey(to));
}
