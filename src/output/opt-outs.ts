import type { OptOut } from "../guards/opt-out-list.ts";
import { listingText } from "./listing.ts";
import type { View } from "./presenter.ts";

/** The numbers that are never sent to, the first to opt out first. */
export function optOutsView(list: readonly OptOut[]): View {
  return {
    json: ({ redacted }) =>
      list.map(({ to, at, reason }) => ({ to, at, reason: reason === undefined ? null : redacted(reason) })),
    quiet: () => list.map(({ to }) => to),
    text: (page) => {
      if (list.length === 0) return "";
      const rows = list.map(({ to, at, reason = "" }) => [to, at.slice(0, 10), page.foreign(reason)]);
      return listingText(page, [["NUMBER", "SINCE", "REASON"], ...rows]);
    },
  };
}
