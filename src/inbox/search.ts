import type { SandboxRequest } from "../sandbox/request-log.ts";

/** What a search looks at; `folded` is all that is searched for text. */
type Findable = Readonly<{
  to: string;
  folded: string;
  kind: "message" | "refusal";
  mode?: string;
  senderId?: string;
  key?: string;
}>;

export type Search = ReturnType<typeof searchFor>;

const filters: Readonly<Record<string, (one: Findable, value: string) => boolean>> = {
  is: ({ kind, mode }, value) => (value === "refused" ? kind === "refusal" : mode === value),
  from: ({ senderId = "" }, value) => fold(senderId).includes(value),
  key: ({ key = "" }, value) => fold(key).includes(value),
};

/**
 * A search for text, and by `is:live`, `is:test`, `is:refused`, `from:` and `key:`. A number is found in any notation:
 * 0712 345 678 finds +254712345678.
 */
export function searchFor(typed: string) {
  const words = fold(typed.trim()).split(/\s+/);
  const tests = words.flatMap((word) => filterOf(word) ?? []);
  const text = words.filter((word) => filterOf(word) === undefined).join(" ");
  const digits = /^[\d\s()+.-]+$/.test(text) ? text.replace(/\D/g, "").replace(/^0/, "") : "";
  return {
    typed: words.join(" "),
    text,
    finds: (one: Findable): boolean =>
      tests.every((test) => test(one)) &&
      (text === "" || (digits !== "" && one.to.includes(digits)) || one.folded.includes(text)),
  };
}

export function findsRequest({ finds, typed }: Search, request: SandboxRequest): boolean {
  if (typed === "") return true;
  const { method, target, status, reason, to = "", senderId = "", messageId, fault = "", ...others } = request;
  const folded = fold([method, target, status, reason, to, senderId, messageId, fault].join("\n"));
  return finds({ ...others, to, senderId, folded, kind: messageId === undefined ? "refusal" : "message" });
}

export function fold(text: string): string {
  return text.toLowerCase();
}

function filterOf(word: string): ((one: Findable) => boolean) | undefined {
  const [, name = "", value = ""] = /^(is|from|key):(.+)$/.exec(word) ?? [];
  const filter = filters[name];
  return filter && ((one) => filter(one, value));
}
