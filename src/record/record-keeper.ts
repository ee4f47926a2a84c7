// record: what is kept, behind seven interfaces that a folder and a database answer.

import type { StandingKeeper } from "./account.ts";
import type { HistoryKeeper } from "./history.ts";
import type { OnceKeeper } from "./once.ts";
import type { OptOutKeeper } from "./opt-outs.ts";
import type { RunKeeper } from "./runs.ts";
import type { SpendingKeeper } from "./spending.ts";
import type { WatchKeeper } from "./watched.ts";

/** A command loads and reaches only the keepers that it asks for. */
export interface RecordKeeper {
  readonly runs: () => Promise<RunKeeper>;
  readonly once: () => Promise<OnceKeeper>;
  readonly optOuts: () => Promise<OptOutKeeper>;
  readonly history: () => Promise<HistoryKeeper>;
  readonly account: () => Promise<StandingKeeper>;
  readonly spending: () => Promise<SpendingKeeper>;
  readonly watched: () => Promise<WatchKeeper>;
  /** Throws if a team shares this record and lets this user only read it. */
  readonly requireWritable: () => Promise<void>;
}
