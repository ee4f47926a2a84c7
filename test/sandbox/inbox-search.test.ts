import { expect, it } from "vitest";
import { fold, searchFor } from "../../src/inbox/search.ts";

const entries = [
  { kind: "message", to: "+254712345678", mode: "live", senderId: "ACME", message: "Deploy 7 finished on web-1" },
  { kind: "message", to: "+254712345679", mode: "test", senderId: "My Shop", message: "Code:1234 -50% at 12:30" },
  {
    kind: "message",
    to: "+254700000598",
    mode: "test",
    senderId: "ACME",
    message: "See https://a.example",
    fault: "hang",
  },
  { kind: "refusal", to: "0712 345 678", key: "sk_test_…dbox", message: "The deploy failed" },
  { kind: "refusal", to: "", message: "nowhere" },
] as const;

const all = entries.map((entry, index) => ({
  ...entry,
  at: `2020-11-2${index}T12:00:00.000Z`,
  folded: fold([entry.to, entry.message].join("\n")),
}));

it.each([
  ["", [0, 1, 2, 3, 4]],
  ["finished DEPLOY", [0]],
  ['"deploy finished"', []],
  ['"finished on" deploy', [0]],
  ['"finished on', [0]],
  ["deploy -finished", [3]],
  ["deploy !finished", [3]],
  ['-"finished on" deploy', [3]],
  ["- deploy", [0, 3]],
  ["-", [0, 1, 2, 3, 4]],
  ["-is:accepted", [3, 4]],
  ["is:accepted -is:test", [0]],
  ["is:broken", [2]],
  ["is:stray", [4]],
  ["is:", [0, 1, 2, 3, 4]],
  ['from:"my shop"', [1]],
  ["-from:acme is:accepted", [1]],
  ["key:dbox", [3]],
  ["0712 345 678", [0, 3]],
  ["to:0712-345-67", [0, 1]],
  ["to:345679", [1]],
  ["678 deploy", [0, 3]],
  ["-50%", [0, 2, 3, 4]],
  ["after:2020-11-22 before:2020-11-23", [2]],
  ["after:2020-11-21t12:00z before:2020-11-22t12:00Z", [1]],
  ["-after:2020-11-21T13:00Z", [0, 1]],
  ["https://a.example", [2]],
] as const)("a search for %j finds the entries %j, and understands all", (typed, found) => {
  const { finds, note } = searchFor(typed);
  expect([all.flatMap((one, index) => (finds(one) ? [index] : [])), note]).toEqual([found, undefined]);
});

it.each([
  ["code:1234", [1], "code:1234 is searched as text; the operators are is: to: from: key: after: before:"],
  [
    "is:live is:constructor",
    [],
    "is:constructor is searched as text; is: takes accepted, refused, broken, stray, live, test, account",
  ],
  ["to:abc", [], "to:abc is searched as text; to: takes a number or a part of it"],
  ["after:noon", [], "after:noon is searched as text; after: takes 10:30, 2026-11-22 or 2026-11-22T10:30"],
] as const)("a search for %j says what it does not understand", (typed, found, note) => {
  const search = searchFor(typed);
  expect([all.flatMap((one, index) => (search.finds(one) ? [index] : [])), search.note]).toEqual([found, note]);
});

it("finds what came after a time of today", () => {
  const { finds } = searchFor("after:00:00");
  const old = all.filter(finds);
  const today = all.filter((one) => finds({ ...one, at: new Date().toISOString() }));
  expect([old, today.length]).toEqual([[], all.length]);
});
