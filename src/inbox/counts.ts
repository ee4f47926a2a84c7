import type { SandboxRequest } from "../sandbox/request-log.ts";
import type { openMailbox } from "./mailbox.ts";
import type { Route } from "./route.ts";
import { count } from "./text.tsx";

/** A count, and the search that finds what it counts. */
type Count = Readonly<{ text: string; finds: string; within: Route["view"] }>;
type Totals = ReturnType<ReturnType<typeof openMailbox>["totals"]>;

/** The counts of messages and refusals, of all requests, and of those without a recipient. */
export function countsOf(totals: Totals, requests: readonly SandboxRequest[]): readonly Count[] {
  const { messages, refusals, broken, credits, costKes } = totals;
  const strays = requests.filter(({ to = "" }) => to === "").length;
  const cost = `${count(credits, "credit")} · KES ${costKes.toFixed(2)}`;
  return [
    { text: count(messages, "message"), finds: "is:accepted", within: "messages" },
    ...some(refusals, `${refusals.toLocaleString("en")} refused`, "is:refused", "messages"),
    ...some(broken, count(broken, "broken answer"), "is:broken", "messages"),
    { text: cost, finds: "is:accepted -is:test", within: "messages" },
    ...some(requests.length, count(requests.length, "request"), "", "requests"),
    ...some(strays, count(strays, "stray request"), "is:stray", "requests"),
  ];
}

function some(n: number, text: string, finds: string, within: Route["view"]): readonly Count[] {
  return n === 0 ? [] : [{ text, finds, within }];
}
