import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { countries } from "../../core/country-names.ts";
import { namedRuns } from "../../runs/run-list.ts";
import type { Host } from "../../host.ts";
import { agoText } from "../../output/ago.ts";
import { fileLine } from "../../output/completion-scripts.ts";
import { plainView } from "../../output/plain.ts";
import { plural } from "../../output/text.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { keyEntries } from "../../profiles/keys.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import { type Candidate, placeIn, type Names } from "./place.ts";

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

function candidatesOf(names: Names, profile: string | undefined, host: Host): readonly Candidate[] {
  switch (names) {
    case "runs":
      return recordedRuns(host);
    case "profiles":
      return Object.entries(loadStore(host).profiles).map(([word, { baseUrl = "" }]) => ({ word, summary: baseUrl }));
    case "keys":
      return keyEntries(chooseProfile(loadStore(host), host.environment, profile).profile, host).map(
        ({ name, mode, ageDays, active, retired }) => ({
          word: name,
          summary: `${mode}, ${plural(ageDays, "day")} old${active ? ", in use" : ""}${retired ? ", retired" : ""}`,
        }),
      );
    case "countries":
      return countries().map(({ code, name }) => ({ word: code, summary: name }));
  }
}

function recordedRuns(host: Host): readonly Candidate[] {
  const state = stateFolder(host);
  if (state === undefined) return [];
  return namedRuns(state).map(({ name, header }) => ({
    word: name,
    summary:
      header === undefined
        ? "cannot be read"
        : `${plural(header.plan.messages, "message")}, ${agoText(Date.parse(header.started), host.now())}`,
  }));
}
