import type { Mode } from "../core/credentials.ts";
import { listingText } from "./listing.ts";
import type { Page, View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { countText } from "./text.ts";

/** A profile as `--json` prints it. */
interface ProfileEntry {
  readonly name: string;
  readonly baseUrl: string | null;
  readonly mode: Mode | null;
  /** The command that prints the key, if one does. */
  readonly keyCommand?: string;
  /** How many keys it has. */
  readonly keys: number;
  /** The only numbers that it sends to: a file, or numbers with commas. */
  readonly onlyTo?: string;
  readonly active: boolean;
}

export function profilesView(profiles: readonly ProfileEntry[]): View {
  return {
    json: () => profiles,
    quiet: () => profiles.map(({ name }) => visible(name)),
    text: (page) => (profiles.length === 0 ? "" : profilesText(profiles, page)),
  };
}

function profilesText(profiles: readonly ProfileEntry[], page: Page): string {
  const rows = profiles.map(({ name, baseUrl, mode, keyCommand, keys, onlyTo, active }) => [
    visible(name),
    baseUrl ?? "no base URL",
    mode ?? (keyCommand === undefined ? "no credentials" : "key command"),
    countText(keys),
    [active && "in use", onlyTo !== undefined && `only to ${visible(onlyTo)}`].filter(Boolean).join(", "),
  ]);
  return listingText(page, [["NAME", "BASE URL", "MODE", "KEYS", ""], ...rows]);
}
