import { conversationAddress } from "./route.ts";
import { count } from "./pieces.tsx";

export type Deleted = Readonly<{ id: string } | { to: string } | Record<string, never>>;

/** What the page says after an action, and what can be done about it. */
type Notice = Readonly<{
  text: string;
  /** The deletions that one undo brings back: the number of the last one, and how many there were. */
  deletions?: Readonly<{ last: string; count: number }>;
  address?: string;
}>;

const noticeMs = 10_000;

export type Actions = ReturnType<typeof openActions>;

export function openActions(onChange: () => void) {
  let notice: Notice | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function say(next: Notice | undefined): void {
    clearTimeout(timer);
    notice = next;
    if (next !== undefined) timer = setTimeout(expire, noticeMs);
    onChange();
  }

  function expire(): void {
    const isInUse = document.querySelector("#notice:focus-within, #notice:hover, .gone:hover") !== null;
    if (isInUse) timer = setTimeout(expire, noticeMs);
    else say(undefined);
  }

  /** Returns undefined, and says why, if the sandbox has stopped or wants the token of its latest start. */
  async function ask(path: string, method: "POST" | "DELETE", body?: object): Promise<Response | undefined> {
    const answer = await fetch(path, { method, ...(body && { body: JSON.stringify(body) }) }).catch(() => undefined);
    if (answer !== undefined && answer.status !== 401) return answer;
    const why = answer ? "open the address that the sandbox printed" : "the sandbox has stopped";
    say({ text: `Nothing was changed: ${why}` });
    return undefined;
  }

  return {
    notice: () => notice,
    say,
    ask,
    remove: async (what: Deleted): Promise<boolean> => {
      const before = notice?.deletions;
      const query = new URLSearchParams({ ...what, ...(before && { after: before.last }) });
      const answer = await ask(`/_sandbox/messages?${query}`, "DELETE");
      if (!answer?.ok) return false;
      const last = answer.headers.get("Deletion") ?? "";
      // Another page's deletion between the two ends what an undo brings back.
      const isNext = before !== undefined && Number(last) === Number(before.last) + 1;
      const deletions = { last, count: isNext ? before.count + 1 : 1 };
      const deleted = "id" in what ? "Message" : "to" in what ? "Conversation" : "All messages and requests";
      say({ text: isNext ? count(deletions.count, "deletion") : `${deleted} deleted`, deletions });
      return true;
    },
    undo: async (): Promise<void> => {
      const answer = await ask(`/_sandbox/undo?of=${notice?.deletions?.last}`, "POST");
      if (answer === undefined) return;
      say(answer.ok ? undefined : { text: "Not undone: something was deleted or undone since" });
    },
    /** Lets the sandbox send a message to a number with that ending. */
    send: async (ending: string): Promise<void> => {
      const to = `+254700${ending}`;
      const answer = await ask("/_sandbox/send", "POST", { to });
      if (answer !== undefined) say({ text: (await answer.json()).reason, address: conversationAddress(to) });
    },
  };
}
