import type { AccountSummary } from "../account.ts";
import type { Inbox } from "../inbox.ts";

export type State = Inbox & AccountSummary & Readonly<{ version: string; url: string }>;

const everyMs = 500;

/**
 * Shows the state for this query now and after each change. Returns a function that ends this. The page asks for the whole
 * state, so it keeps no copy of the log, and no connection open, of which a browser has six for all its tabs.
 */
export function follow(query: string, show: (state: State) => void, tell: (problem?: string) => void): () => void {
  const leaving = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let version = "";

  async function ask(): Promise<void> {
    try {
      const answer = await fetch(`/_sandbox/inbox?${query}&seen=${version}`, { signal: leaving.signal });
      if (answer.status === 200) {
        const state: State = await answer.json();
        version = state.version;
        show(state);
      }
      tell(answer.status === 401 ? "Open the address that the sandbox printed" : undefined);
    } catch {
      if (leaving.signal.aborted) return;
      version = "";
      tell("The sandbox has stopped");
    }
    timer = setTimeout(ask, everyMs);
  }

  void ask();
  return () => {
    leaving.abort();
    clearTimeout(timer);
  };
}
