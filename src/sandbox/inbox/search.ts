import type { SandboxRequest } from "../request-log.ts";

/** What a search looks at; `folded` is all that is searched for text. */
type Findable = Readonly<{
  to: string;
  folded: string;
  kind: "message" | "refusal";
  fault?: string;
}>;

/** What each count counts, and finds when it is pressed. */
const states = {
  sent: ({ kind }: Findable) => kind === "message",
  refused: ({ kind }: Findable) => kind === "refusal",
  broken: ({ kind, fault }: Findable) => kind === "message" && fault !== undefined,
  stray: ({ to }: Findable) => to === "",
};

export type State = keyof typeof states;
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

function wordTest(word: string): (one: Findable) => boolean {
  const digits = /^[\d()+.-]+$/.test(word) ? word.replace(/\D/g, "").replace(/^0/, "") : "";
  return ({ folded, to }) => folded.includes(word) || (digits !== "" && to.includes(digits));
}
