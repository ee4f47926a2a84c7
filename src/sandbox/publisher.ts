/** Adds a listener; the returned function removes it. */
export type Listen<Event> = (listener: (event: Event) => void) => () => void;

/** Calls its listeners in the order in which they were added; `count` is their number. */
export function publisher<Event>(): {
  readonly publish: (event: Event) => void;
  readonly listen: Listen<Event>;
  readonly count: () => number;
} {
  const listeners = new Set<(event: Event) => void>();
  return {
    publish: (event) => {
      for (const listener of listeners) listener(event);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    count: () => listeners.size,
  };
}
