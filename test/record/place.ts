import { folderRecord } from "../../src/record/folder/record.ts";
import { machine, ours } from "../files/this-process.ts";

const never = new AbortController().signal;

/** Opens the record of a place as any process does. */
export function openAt(place: string) {
  return folderRecord(ours(place), {
    ...machine,
    wallClock: Date.now,
    interruption: () => ({ stop: never, leave: never }),
  });
}
