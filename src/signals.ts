/** What stops the program. */
const stopping = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/** What is passed on to a command that the program runs. SIGQUIT and SIGUSR2 would end the program, which ignores SIGUSR1. */
export const others = ["SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** Signals within this time are one: a closed terminal, `timeout` and npm send theirs twice. Milliseconds. */
const oneSignal = 100;

/** How much later than the end of a command the signal that ended it may reach us. Milliseconds. */
const lag = 100;

/** The time from the second signal to `onLeft`, in which what is known is recorded. Milliseconds. */
const timeToLeave = 500;

/** Aborts `stop` at the first signal that `diverted` does not take, and calls `onLeft` soon after the second. */
export function listenForSignals(
  process: NodeJS.Process,
  stop: AbortController,
  onLeft: () => void,
  diverted: () => ((signal: NodeJS.Signals) => void) | undefined,
) {
  const leave = new AbortController();
  let first: number | undefined;
  const heard = (signal: NodeJS.Signals) => {
    const take = diverted();
    if (take !== undefined) return take(signal);
    first ??= Date.now();
    stop.abort(signal);
    if (leave.signal.aborted || Math.abs(Date.now() - first) < oneSignal) return;
    leave.abort(signal);
    setTimeout(onLeft, timeToLeave);
  };
  onSignals(process, heard);
  return { stop: stop.signal, leave: leave.signal };
}

/** Gives each of these signals, by default those that stop the program, to `take` until the returned function is called. */
export function onSignals(
  process: NodeJS.Process,
  take: (signal: NodeJS.Signals) => void,
  names: readonly NodeJS.Signals[] = stopping,
): () => void {
  for (const signal of names) process.on(signal, take);
  return () => {
    for (const signal of names) process.off(signal, take);
  };
}

/**
 * Calls `then` when a command has ended and what ended it has reached us too: a terminal gives Ctrl-C to both, and ours may
 * come a moment later. `status` is what the command ended with: 0 waits for nothing.
 */
export function afterOurSignal(status: number | null, then: () => void): void {
  if (status === 0) then();
  else setTimeout(then, lag);
}
