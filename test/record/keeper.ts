import { join } from "node:path";
import { temporaryFolder } from "../support/folders.ts";

/** Where a record is kept for one test, as each of the suites of this folder needs it. */
export interface Keeper {
  /** Returns the place of a new, empty record. */
  readonly newPlace: () => string;
}

export const folderKeeper: Keeper = { newPlace: () => join(temporaryFolder(), "state") };
