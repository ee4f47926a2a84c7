import { fitted } from "./cells.ts";
import type { View } from "./presenter.ts";
import { visible } from "./sanitize.ts";

/** The result of a command that changed something: lines for a person, a value for JSON, and nothing with `--quiet`. */
export function doneView(value: unknown, ...lines: readonly string[]): View {
  return {
    json: () => value,
    quiet: () => [],
    text: (page) => lines.map((line) => `${fitted(page, visible(line), 0)}\n`).join(""),
  };
}
