import type { SandboxRequest } from "../sandbox/request-log.ts";
import type { openMailbox } from "./mailbox.ts";
import type { Route } from "./route.ts";
import { count } from "./text.tsx";

/** A count, and the search that finds what it counts. */
type Count = Readonly<{ text: string; finds: string; within: Route["view"] }>;
type Totals = ReturnType<ReturnType<typeof openMailbox>["totals"]>;

export function isRefused({ messageId }: SandboxRequest): boolean {
  return messageId === undefined;
}

/** The counts of messages and refusals, and of the requests that are neither. */
export function messageCounts(totals: Totals, requests: readonly SandboxRequest[]): readonly Count[] {
  const { messages, refusals, broken, credits, costKes } = totals;
  const strays = requests.filter(({ to = "" }) => to === "").length;
  return [
    { text: count(messages, "message"), finds: "is:accepted", within: "messages" },
    ...some(refusals, `${refusals.toLocaleString("en")} refused`, "is:refused", "messages"),
    ...some(broken, count(broken, "broken answer"), "is:broken", "messages"),
    ...some(strays, count(strays, "stray request"), "is:stray", "requests"),
    {
      text: `${count(credits, "credit")} · KES ${costKes.toFixed(2)}`,
      finds: "is:accepted -is:test",
      within: "messages",
    },
  ];
}

export function requestCounts(requests: readonly SandboxRequest[]): readonly Count[] {
  const refused = requests.filter(isRefused).length;
  const accepted = requests.length - refused;
  const broken = requests.filter((request) => !isRefused(request) && request.fault !== undefined).length;
  return [
    { text: count(requests.length, "request"), finds: "", within: "requests" },
    ...some(accepted, `${accepted.toLocaleString("en")} accepted`, "is:accepted", "requests"),
    ...some(refused, `${refused.toLocaleString("en")} refused`, "is:refused", "requests"),
    ...some(broken, count(broken, "broken answer"), "is:broken", "requests"),
  ];
}

function some(n: number, text: string, finds: string, within: Route["view"]): readonly Count[] {
  return n === 0 ? [] : [{ text, finds, within }];
}
