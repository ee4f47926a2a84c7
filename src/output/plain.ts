import type { View } from "./presenter.ts";

/** Shows text that is itself the result, such as a script or a page of help. */
export function plainView(text: string): View {
  return { json: () => text, quiet: () => text.replace(/\n$/, "").split("\n"), text: () => text };
}
