import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { runNames } from "../../runs/run-files.ts";
import type { Host } from "../../host.ts";
import { fileLine } from "../../output/completion-scripts.ts";
import { plainView } from "../../output/plain.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";

import { type Candidate, placeIn, type StoredNames } from "./place.ts";

/** Prints the words that can be at the end of a command line: a line for each, with its summary after a tab. */
export function printCandidates(
  words: readonly string[],
  program: CommandUnknownOpts,
  { host, presenter }: Context,
): void {
  const { wanted, before, typed, profile } = placeIn(program, words);
  if (wanted.kind === "file") {
    presenter.show(plainView(fileLine));
    return;
  }
  const candidates = wanted.kind === "words" ? wanted.words : candidatesOf(wanted.of, profile, host);
  const lines = candidates
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, summary }) => `${before}${word}\t${summary}\n`);
  presenter.show(plainView(lines.join("")));
}

function candidatesOf(names: StoredNames, profile: string | undefined, host: Host): readonly Candidate[] {
  return storedNames(names, profile, host).map((word) => ({ word, summary: "" }));
}

function storedNames(names: StoredNames, profile: string | undefined, host: Host): readonly string[] {
  const state = stateFolder(host);
  switch (names) {
    case "runs":
      return state === undefined ? [] : runNames(state);
    case "profiles":
      return Object.keys(loadStore(host).profiles);
    case "keys":
      return Object.keys(chooseProfile(loadStore(host), host.environment, profile).profile?.keys ?? {});
  }
}
