const endings: (() => unknown)[] = [];

/** Has this done after all tests of the file. In concurrent tests, vitest does not know which of them asks. */
export function atEnd(action: () => unknown): void {
  endings.push(action);
}

export async function endAll(): Promise<void> {
  for (const action of endings.splice(0).toReversed()) await action();
}
