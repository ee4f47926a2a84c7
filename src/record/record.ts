import type { RunKeeper } from "./runs.ts";

/**
 * What was planned, begun, sent and spent, by subject. A keeper is opened when it is asked for, so that a command loads and
 * reaches only what it needs.
 */
export interface RecordKeeper {
  readonly runs: () => Promise<RunKeeper>;
}
