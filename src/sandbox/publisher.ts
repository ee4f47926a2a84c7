/** Adds a listener; the returned function removes it. */
export type Listen<Event> = (listener: (event: Event) => void) => () => void;

/** Calls its listeners in the order in which they were added. */
export function publisher<Event>(): { publish: (event: Event) => void; listen: Listen<Event> } {
  const listeners = new Set<(event: Event) => void>();
  return {
    publish: (event) => {
      for (const listener of listeners) listener(event);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
