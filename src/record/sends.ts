import type { StateFolder } from "../files/state-folder.ts";
import { encodeEntry, entryOf, type Sent } from "./entry.ts";
import { numberHash } from "./hash-key.ts";
import { appendLine, monthFile } from "./history-folder.ts";

/** Where the history and its key are. */
export interface HistoryFolders {
  readonly state: StateFolder;
  /** The folder of the credentials, if there is one. */
  readonly config: string | undefined;
}

/** Adds a single message to the history. Never throws: returns why it could not, if so. */
export function recordSend({ state, config }: HistoryFolders, sent: Sent): string | undefined {
  try {
    const entry = entryOf(sent, numberHash(config, state.uid)?.(sent.to));
    appendLine(state, monthFile(sent.at), encodeEntry(entry));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
