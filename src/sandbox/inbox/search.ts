import type { SandboxRequest } from "../request-log.ts";

/** What a search looks at; `folded` is all that is searched for text. */
type Findable = Readonly<{
  to: string;
  folded: string;
  kind: "message" | "refusal";
  fault?: string;
}>;

export const stateNames = ["sent", "refused", "broken"] as const;
export type State = (typeof stateNames)[number];

/** What each count counts, and finds when it is pressed. */
const states: Readonly<Record<State, (one: Findable) => boolean>> = {
  sent: ({ kind }) => kind === "message",
  refused: ({ kind }) => kind === "refusal",
  broken: ({ kind, fault }) => kind === "message" && fault !== undefined,
};

export type Search = ReturnType<typeof searchFor>;

/** All words, in any order, and one state. A number is found as people write it too: 0712 345 finds +254712345678. */
export function searchFor(typed: string, only?: State) {
  const words = fold(typed).split(/\s+/).filter(Boolean).map(wordTest);
  const isInState = only === undefined ? () => true : states[only];
  return {
    typed,
    only,
    isOn: words.length > 0 || only !== undefined,
    finds: (one: Findable): boolean => isInState(one) && words.every((test) => test(one)),
  };
}

export function isState(name: string | null): name is State {
  return name !== null && Object.hasOwn(states, name);
}

export function findsRequest({ finds, isOn }: Search, request: SandboxRequest): boolean {
  if (!isOn) return true;
  const { method, target, status, reason, to = "", senderId = "", message = "", messageId, fault } = request;
  const folded = fold([method, target, status, reason, to, senderId, message, messageId, fault].join("\n"));
  return finds({ to, folded, kind: messageId === undefined ? "refusal" : "message", ...(fault && { fault }) });
}

export function fold(text: string): string {
  return text.toLowerCase();
}

/** How many requests are in each state. */
export function countsOf(requests: readonly SandboxRequest[]): Readonly<Record<State, number>> {
  const sent = requests.filter(({ messageId }) => messageId !== undefined);
  const broken = sent.filter(({ fault }) => fault !== undefined).length;
  return { sent: sent.length, refused: requests.length - sent.length, broken };
}

function wordTest(word: string): (one: Findable) => boolean {
  const digits = /^[\d()+.-]+$/.test(word) ? word.replace(/\D/g, "").replace(/^0/, "") : "";
  return ({ folded, to }) => folded.includes(word) || (digits !== "" && to.includes(digits));
}
