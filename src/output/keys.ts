import { agoText } from "./ago.ts";
import { listingText } from "./listing.ts";
import type { Page, View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { plural } from "./text.ts";

/** A key as `--json` prints it. Dates are ISO 8601 in UTC. */
interface KeyEntry {
  readonly name: string;
  readonly mode: "test" | "live";
  /** Its prefix and its last characters. */
  readonly shown: string;
  readonly added: string;
  readonly ageDays: number;
  readonly lastUsed: string | null;
  readonly active: boolean;
  readonly retired: boolean;
}

/** Lists keys. `now` is in milliseconds. */
export function keysView(keys: readonly KeyEntry[], now: number): View {
  return {
    json: () => keys,
    quiet: () => keys.map(({ name }) => visible(name)),
    text: (page) => (keys.length === 0 ? "" : keysText(keys, now, page)),
  };
}

function keysText(keys: readonly KeyEntry[], now: number, page: Page): string {
  // The key as it is shown begins with its mode.
  const rows = keys.map(({ name, shown, ageDays, lastUsed, active, retired }) => [
    visible(name),
    shown,
    plural(ageDays, "day"),
    lastUsed === null ? "never" : agoText(Date.parse(lastUsed), now),
    active ? "in use" : retired ? "retired" : "",
  ]);
  return listingText(page, [["NAME", "KEY", "AGE", "LAST USED", ""], ...rows]);
}
