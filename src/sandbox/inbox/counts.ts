import type { SandboxRequest } from "../request-log.ts";
import type { openMailbox } from "./mailbox.ts";
import type { Search, State } from "./search.ts";
import { grouped } from "./pieces.tsx";

/** A count, and the state that finds what it counts. */
type Count = Readonly<{ n: number; noun: string; only: State }>;
type Totals = ReturnType<ReturnType<typeof openMailbox>["totals"]>;

/** The states that messages, or requests, of the list have. */
export function countsOf({ messages, refusals, broken }: Totals, shown: Search, requests?: readonly SandboxRequest[]) {
  const sent = requests?.filter(({ messageId }) => messageId !== undefined);
  const strays = requests?.filter(({ to = "" }) => to === "").length ?? 0;
  const counts: readonly Count[] = [
    { n: sent?.length ?? messages, noun: "sent", only: "sent" },
    { n: sent && requests ? requests.length - sent.length : refusals, noun: "refused", only: "refused" },
    { n: sent?.filter(({ fault }) => fault !== undefined).length ?? broken, noun: "broken", only: "broken" },
    { n: strays, noun: "stray", only: "stray" },
  ];
  return counts
    .filter(({ n, only }) => n > 0 || only === "sent" || only === shown.only)
    .map(({ n, noun, only }) => ({ text: `${grouped(n)} ${noun}`, only }));
}
