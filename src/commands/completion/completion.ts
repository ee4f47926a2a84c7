import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { runNames } from "../../runs/runs.ts";
import type { Host } from "../../host.ts";
import { completionScripts, fileLine } from "../../output/completion-scripts.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { type Candidate, type Kept, placeIn } from "./place.ts";
import type { CompletionVerb } from "./definition.ts";
import type { Context } from "../shared/context.ts";
import { type GlobalOptions, refuseGlobals } from "../shared/options.ts";

/** Prints the script for a shell, or what the script asks for: a line for each candidate, its summary after a tab. */
export function runCompletion(
  verb: CompletionVerb,
  options: GlobalOptions,
  program: CommandUnknownOpts,
  { host }: Context,
): void {
  const hint = "leave it out";
  refuseGlobals(options, "sms completion", { profile: hint, json: hint, verbose: hint });
  if (verb.kind === "script") {
    host.stdout.write(completionScripts[verb.shell]);
    return;
  }
  const { wanted, before, typed, profile: named } = placeIn(program, verb.words);
  if (wanted.kind === "file") {
    host.stdout.write(fileLine);
    return;
  }
  const words = wanted.kind === "words" ? wanted.words : namesOf(wanted.of, named, host);
  const lines = words
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, summary }) => `${before}${word}\t${summary}\n`);
  host.stdout.write(lines.join(""));
}

function namesOf(kept: Kept, profile: string | undefined, host: Host): readonly Candidate[] {
  return keptNames(kept, profile, host).map((word) => ({ word, summary: "" }));
}

function keptNames(kept: Kept, profile: string | undefined, host: Host): readonly string[] {
  switch (kept) {
    case "runs":
      return runNames(stateFolder(host.environment, host.platform, host.home()));
    case "profiles":
      return Object.keys(loadStore(host).profiles);
    case "keys":
      return Object.keys(chooseProfile(loadStore(host), host.environment, profile).profile?.keys ?? {});
  }
}
