import { type Database, lockCall, type Query, SessionEndedError } from "./database.ts";

/** While the token in the row is ours, only this process may change the row. */
export interface Lease {
  /** The statement gets the token as its second value. */
  readonly query: (text: string, first: unknown, ...values: readonly unknown[]) => ReturnType<Query>;
  readonly token: () => string;
  /** The statement deletes the row of an owner that has recorded nothing. Never throws. */
  readonly release: (deletion: string, first: unknown) => Promise<void>;
}

/** If the session ends, `retake` puts a new token in the row, or is undefined if somebody else has the row. */
export function openLease(
  database: Database,
  first: string,
  retake: (ask: Query, was: string) => Promise<string | undefined>,
  lost: () => Error,
): Lease {
  let token = first;
  let session = database.queryOfSession();
  const retakeAfter = (former: Query) =>
    database.transaction(async (ask) => {
      // Another statement of ours may have waited for this turn, too.
      if (session !== former) return;
      const next = await retake(ask, token);
      if (next === undefined) throw lost();
      token = next;
      session = database.queryOfSession();
    });
  return {
    token: () => token,
    release: async (deletion, id) => {
      try {
        await database.query(deletion, [id, token]);
        await database.query(`select ${lockCall("pg_advisory_unlock", "$1")}`, [token]);
      } catch {
        // The lock ends with the session.
      }
    },
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
