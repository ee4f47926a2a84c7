import { hash } from "node:crypto";
import { constants, ftruncateSync, type Stats, writeSync } from "node:fs";
import { join } from "node:path";
import { isNumber, isText, parseJson, shape } from "../../json.ts";
import { writeAll } from "../../files/durable.ts";
import { useFile } from "../../files/file-system.ts";
import { openOrMakeFile, readIfThere, type StateFolder } from "../../files/state-folder.ts";
import { isCosts } from "../cost.ts";
import type { Cost } from "../history.ts";

/** The costs are right as long as the journal of the run has this size and time. */
export interface RunSum extends Pick<Stats, "size" | "mtimeMs"> {
  readonly name: string;
  readonly costs: readonly Cost[];
}

const place = { folder: "runs", name: "~sums.ndjson" };

/** One file for all runs takes a tenth of the file calls that a file for each run takes. */
export function readSums(state: StateFolder): Map<string, RunSum> {
  const sums = new Map<string, RunSum>();
  for (const line of textOf(state).split("\n")) {
    const [digest, text] = [line.slice(0, digestLength), line.slice(digestLength)];
    const sum = digestOf(text) === digest ? parseJson(text) : undefined;
    if (isRunSum(sum)) sums.set(sum.name, sum);
  }
  return sums;
}

/** If this fails, or another process writes at the same time, the lines that are broken are summed again. */
export function writeSums(state: StateFolder, sums: Iterable<RunSum>): void {
  const texts = Array.from(sums, (sum) => JSON.stringify(sum));
  const bytes = Buffer.from(texts.map((text) => `${digestOf(text)}${text}\n`).join(""));
  try {
    const file = openOrMakeFile(state, place.folder, place.name, constants.O_WRONLY);
    useFile(file, place.name, () => {
      ftruncateSync(file);
      writeAll((rest) => writeSync(file, rest), bytes);
    });
  } catch {
    // The sums are only a cache.
  }
}

export function forgetSum(state: StateFolder, run: string): void {
  const sums = readSums(state);
  if (sums.delete(run)) writeSums(state, sums.values());
}

function textOf({ path }: StateFolder): string {
  try {
    return readIfThere(join(path, place.folder, place.name)) ?? "";
  } catch {
    return "";
  }
}

const digestLength = 16;

function digestOf(text: string): string {
  return hash("sha256", text).slice(0, digestLength);
}

const isRunSum = shape<RunSum>({
  name: isText,
  size: isNumber,
  mtimeMs: isNumber,
  costs: isCosts,
});
