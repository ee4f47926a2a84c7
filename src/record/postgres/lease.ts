import { type Database, type Query, SessionEndedError } from "./database.ts";

/** A row that this process alone may change, by the token in it: as long as nobody else puts another one there. */
export interface Lease {
  /** Runs a statement in the session of the lease. It gets the token of the lease as its second value. */
  readonly query: (text: string, first: unknown, ...values: readonly unknown[]) => ReturnType<Query>;
  /** The current token. */
  readonly token: () => string;
}

/**
 * Returns a lease that this session has taken. If the session ends between two statements, `retake` puts a new token in the place of
 * the old one and returns it, or returns undefined because somebody else has the row by now; then `lost` is thrown.
 */
export function openLease(
  database: Database,
  first: string,
  retake: (ask: Query, was: string) => Promise<string | undefined>,
  lost: () => Error,
): Lease {
  let token = first;
  let session = database.queryOfSession();
  const retakeAfter = (ended: Query) =>
    database.transaction(async (ask) => {
      // Another statement of ours may have waited for this turn, too.
      if (session !== ended) return;
      const next = await retake(ask, token);
      if (next === undefined) throw lost();
      token = next;
      session = database.queryOfSession();
    });
  return {
    token: () => token,
    query: async (text, id, ...values) => {
      const current = session;
      try {
        return await current(text, [id, token, ...values]);
      } catch (error) {
        if (!(error instanceof SessionEndedError)) throw error;
        await retakeAfter(current);
        return session(text, [id, token, ...values]);
      }
    },
  };
}
