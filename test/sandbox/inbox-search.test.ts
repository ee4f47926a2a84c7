import { expect, it } from "vitest";
import { fold, searchFor } from "../../src/sandbox/inbox/search.ts";

const entries = [
  { kind: "message", to: "+254712345678", message: "Deploy 7 finished on web-1" },
  { kind: "message", to: "+254712345679", message: "Code:1234 -50% at 12:30" },
  { kind: "message", to: "+254700000598", message: "See https://a.example", fault: "hang" },
  { kind: "refusal", to: "0712 345 678", message: 'The deploy "failed"' },
  { kind: "refusal", to: "", message: "nowhere" },
] as const;

const all = entries.map((entry) => ({ ...entry, folded: fold([entry.to, entry.message].join("\n")) }));

it.each([
  ["", undefined, [0, 1, 2, 3, 4]],
  ["finished DEPLOY", undefined, [0]],
  [" on  web ", undefined, [0]],
  ['"failed"', undefined, [3]],
  ["-50%", undefined, [1]],
  ["code:1234", undefined, [1]],
  ["is:live", undefined, []],
  ["0712 345 678", undefined, [0, 3]],
  ["0712-345-67", undefined, [0, 1]],
  ["678 deploy", undefined, [0, 3]],
  ["https://a.example", undefined, [2]],
  ["", "sent", [0, 1, 2]],
  ["", "broken", [2]],
  ["deploy", "refused", [3]],
] as const)("a search for %j and the state %j finds the entries %j", (typed, only, found) => {
  const { finds } = searchFor(typed, only);
  expect(all.flatMap((one, index) => (finds(one) ? [index] : []))).toEqual(found);
});
