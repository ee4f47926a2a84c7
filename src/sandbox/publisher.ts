/** Calls back with each event from now on, until the function that it returns is called. */
export type Listen<Event> = (hear: (event: Event) => void) => () => void;

/** Tells whoever listens at the moment, in the order in which they began to. */
export function publisher<Event>(): { publish: (event: Event) => void; listen: Listen<Event> } {
  const listeners = new Set<(event: Event) => void>();
  return {
    publish: (event) => {
      for (const hear of listeners) hear(event);
    },
    listen: (hear) => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}
