import { conversationAddress } from "./route.ts";

export type Deleted = Readonly<{ id: string } | { to: string } | Record<string, never>>;

/** What the page says after an action, and what can be done about it. */
type Notice = Readonly<{ text: string; undoPath?: string; address?: string }>;

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
    const isInUse = document.activeElement?.closest("#notice") !== null;
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
      const query = new URLSearchParams(Object.entries(what)).toString();
      const answer = await ask(`/_sandbox/messages?${query}`, "DELETE");
      if (!answer?.ok) return false;
      const deleted = "id" in what ? "Message" : "to" in what ? "Conversation" : "All messages and requests";
      say({ text: `${deleted} deleted`, undoPath: `/_sandbox/undo?of=${answer.headers.get("Deletion")}` });
      return true;
    },
    undo: async (path: string): Promise<void> => {
      const answer = await ask(path, "POST");
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
