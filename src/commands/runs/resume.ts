import type { EndingKind } from "../../errors.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { requireHeader } from "../../runs/header.ts";
import type { Retry } from "../../runs/due.ts";
import { resumeRun } from "../../runs/planning.ts";
import { runFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { type GlobalOptions, noSuchOption } from "../shared/options.ts";
import { conduct } from "../shared/run-command.ts";
import type { PolicyFlags } from "../shared/run-policy.ts";
import { stateOf } from "../shared/state.ts";

/** Sends what is left of a run. */
export async function resume(
  name: string,
  options: GlobalOptions & PolicyFlags & { readonly retry?: Retry },
  context: Context,
): Promise<EndingKind> {
  const { host } = context;
  const files = runFiles(stateOf(host), name);
  const { binding } = requireHeader(name, files.header);
  const isSandbox = binding.mode === "sandbox";
  if (isSandbox && options.profile !== undefined)
    throw noSuchOption("a run of the sandbox", "--profile", "leave it out: the sandbox uses no profile");
  const chosen = isSandbox ? undefined : chooseProfile(loadStore(host), host.environment, options.profile);
  const command = { name, options, chosen, notes: () => ({ leftOut: [], warnings: [] }) };
  return conduct(command, context, (now, approve) => resumeRun(files, now, options.retry ?? [], host, approve));
}
