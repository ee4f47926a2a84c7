import { ageInDays } from "../core/key.ts";
import type { View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { tableText } from "./table.ts";
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
    text: () => (keys.length === 0 ? "" : keysText(keys, now)),
  };
}

function keysText(keys: readonly KeyEntry[], now: number): string {
  const rows = keys.map(({ name, mode, shown, ageDays, lastUsed, active, retired }) => [
    visible(name),
    mode,
    shown,
    plural(ageDays, "day"),
    lastUsed === null ? "never" : `${plural(ageInDays(lastUsed, now), "day")} ago`,
    active ? "in use" : retired ? "retired" : "",
  ]);
  return tableText([["NAME", "MODE", "KEY", "AGE", "LAST USED", ""], ...rows]);
}
