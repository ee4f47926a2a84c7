import type { OnShare } from "./folder/line-file.ts";
import type { StateFolder } from "../files/state-folder.ts";
import type { UnreadableRun } from "./runs.ts";
import { encodeEntry, type Entry } from "./entry.ts";
import { decodeEntry } from "./entry-reader.ts";
import { readHistoryLines, timeOf } from "./history-lines.ts";
import { findHistory } from "./history-sources.ts";
import { fileLines, type LineSource, memoryLines } from "./line-sources.ts";
import { Numbers } from "./numbers.ts";
import { readRuns } from "./run-entries.ts";

/** Which entries are listed. */
export interface Query {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** E.164. */
  readonly to?: string;
  /** The most entries, the latest ones. */
  readonly limit: number;
}

/** The entries that a query asks for. */
export interface Listing {
  /** How many there are, without the limit. */
  readonly found: number;
  /** Reads them, the latest first. */
  readonly entries: () => Generator<Entry, void>;
  /** Lines that are no entries: a kill or a power cut left them. */
  readonly broken: number;
  readonly unreadable: readonly UnreadableRun[];
  readonly close: () => void;
}

/** Finds the entries of a query, and keeps only the place of each, since they may be many. */
export async function listHistory(
  state: StateFolder,
  { since: asked, to, limit }: Query,
  onShare: OnShare,
): Promise<Listing> {
  const found = findHistory(state, asked, onShare);
  const { since, files, onRead } = found;
  const sources: LineSource[] = [];
  const times = new Numbers();
  const places = { source: new Numbers(), offset: new Numbers(), length: new Numbers() };
  const add = (at: number, source: number, offset: number, length: number) => {
    times.push(at);
    places.source.push(source);
    places.offset.push(offset);
    places.length.push(length);
  };
  let broken = 0;
  for (const [source, path] of files.entries()) {
    sources.push(fileLines(path));
    await readHistoryLines(path, onRead, ({ text, offset, end }) => {
      const at = timeOf(text);
      if (at === undefined) broken++;
      else if (at >= since && (to === undefined || text.includes(`"to":"${to}"`)))
        add(at, source, offset, end - offset);
    });
  }
  const memory = memoryLines();
  sources.push(memory);
  const unreadable = await readRuns(found, (entry) => {
    const at = Date.parse(entry.at);
    if (at < since || (to !== undefined && entry.to !== to)) return;
    add(at, files.length, ...memory.add(encodeEntry(entry)));
  });
  const order = times.order().toReversed();
  return {
    found: order.length,
    entries: function* entries() {
      for (const index of order.subarray(0, limit)) {
        const source = sources[places.source.at(index)];
        const entry = decodeEntry(source?.read(places.offset.at(index), places.length.at(index)) ?? "");
        if (entry !== undefined) yield entry;
      }
    },
    broken,
    unreadable,
    close: () => {
      for (const source of sources) source.close();
    },
  };
}
