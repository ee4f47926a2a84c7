import { fitted } from "./layout.ts";
import type { View } from "./presenter.ts";
import { visible } from "./redact.ts";

/** The result of a command that changed something: lines for a person, a value for JSON, and nothing with `--quiet`. */
export function doneView(value: unknown, ...lines: readonly string[]): View {
  return {
    json: () => value,
    quiet: () => [],
    text: (page) => lines.map((line) => `${fitted(page, visible(line), 0)}\n`).join(""),
  };
}

/** Shows text that is itself the result, such as a script or a page of help. */
export function plainView(text: string): View {
  return { json: () => text, quiet: () => text.replace(/\n$/, "").split("\n"), text: () => text };
}
