/** The balance of an account while requests overlap, so that the last answer need not be the last charge. */
export interface BalanceWatch {
  /** The request of that message may begin. */
  readonly begin: (index: number) => void;
  /** A receipt came for the message, before its `end`. `balance` in credits, if the receipt has it. */
  readonly receive: (index: number, balance: number | undefined) => void;
  readonly end: (index: number) => void;
  /** The lowest of the last balance and those received while its request was in flight; undefined before the first. */
  readonly lowest: () => number | undefined;
}

/** Watches the balances of a run. Its memory grows with the requests in flight alone, unless each receipt shows a higher balance. */
export function watchBalance(): BalanceWatch {
  let received = 0;
  let lowest: number | undefined;
  /** How many balances had been received when each open request began. */
  const receivedBefore = new Map<number, number>();
  /** The balances that no later one is below, in the order in which they came: each is the lowest from then on. */
  const lows: { readonly position: number; readonly balance: number }[] = [];
  return {
    begin: (index) => void receivedBefore.set(index, received),
    receive: (index, balance) => {
      if (balance === undefined) return;
      while ((lows.at(-1)?.balance ?? -Infinity) >= balance) lows.pop();
      lows.push({ position: received++, balance });
      const from = receivedBefore.get(index) ?? 0;
      lowest = lows[lows.findLastIndex(({ position }) => position < from) + 1]?.balance;
    },
    end: (index) => void receivedBefore.delete(index),
    lowest: () => lowest,
  };
}
