const undoMs = 10_000;

export type Deleted = Readonly<{ id: string } | { to: string }> | "all";

/** Deletes, and undoes the last deletion. Both fail only if the sandbox has stopped, which the page shows already. */
export function openDeletion(onChange: () => void) {
  /** What the page says after a deletion, and how it is undone, if it can be. */
  let notice: Readonly<{ text: string; undoPath?: string }> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function say(next: typeof notice): void {
    clearTimeout(timer);
    notice = next;
    if (next !== undefined) timer = setTimeout(say, undoMs, undefined);
    onChange();
  }

  return {
    notice: () => notice,
    remove: async (what: Deleted): Promise<void> => {
      const query = what === "all" ? "" : `?${new URLSearchParams(Object.entries(what)).toString()}`;
      const answer = await fetch(`/_sandbox/messages${query}`, { method: "DELETE" }).catch(() => undefined);
      if (!answer?.ok) return;
      const deleted = what === "all" ? "All messages and requests" : "id" in what ? "Message" : "Conversation";
      say({ text: `${deleted} deleted`, undoPath: `/_sandbox/undo?of=${answer.headers.get("Deletion")}` });
    },
    undo: async (path: string): Promise<void> => {
      say(undefined);
      const answer = await fetch(path, { method: "POST" }).catch(() => undefined);
      if (answer?.status === 404) say({ text: "Not undone: something was deleted or undone since" });
    },
  };
}
