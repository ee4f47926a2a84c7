/** Each visible page has a share of this lock. */
const inSight = "sms sandbox in sight";
/** Of the hidden pages that notify, the one that has this lock follows the sandbox. */
const notifier = "sms sandbox notifier";

/**
 * Follows the sandbox while the page is visible, as a browser keeps only six connections to a server. Returns what to call
 * after notifications were switched on or off.
 */
export function watchPresence(notifies: () => boolean, follow: (isOn: boolean) => void): () => void {
  let turn = new AbortController();

  /** Becomes the notifier until the turn ends, or until a page that was visible later takes its place and its turn. */
  function notify(options: LockOptions, signal: AbortSignal): void {
    const held = () => {
      follow(true);
      return untilAborted(signal);
    };
    navigator.locks.request(notifier, options, held).catch(() => {
      if (signal.aborted) return;
      follow(false);
      notify({ signal }, signal);
    });
  }

  function update(wasVisible: boolean): void {
    turn.abort();
    turn = new AbortController();
    const { signal } = turn;
    // Over http from another machine a page gets no locks, and no notifications.
    const hasLocks = "locks" in navigator;
    if (!document.hidden) {
      follow(true);
      if (hasLocks) navigator.locks.request(inSight, { mode: "shared" }, () => untilAborted(signal)).catch(() => {});
    } else if (!hasLocks || !notifies()) follow(false);
    // The page that was visible has the stream, and misses no message.
    else notify(wasVisible ? { steal: true } : { signal }, signal);
  }

  document.addEventListener("visibilitychange", () => update(true));
  update(false);
  return () => update(false);
}

/** Whether a page of the sandbox is visible. */
export async function isInSight(): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === inSight);
}

function untilAborted(signal: AbortSignal): Promise<unknown> | undefined {
  return signal.aborted ? undefined : new Promise((resolve) => signal.addEventListener("abort", resolve));
}
