import { describe, expect, it } from "vitest";
import { decodeEntry, encodeEntry } from "../../src/record/journal-entry.ts";
import { history } from "./entries.ts";

describe("an entry of a journal", () => {
  it.each([...history, { kind: "time", at: 1_763_776_800_123 }] as const)(
    "is read back as it was written: $kind",
    (entry) => {
      expect(decodeEntry(encodeEntry(entry).trimEnd())).toEqual(entry);
    },
  );

  it.each([
    "",
    "{}",
    "null",
    "[]",
    '["intent"]',
    '["intent",-1]',
    '["intent",1.5]',
    '["intent","1"]',
    '["time"]',
    '["time",-1]',
    '["accepted",1]',
    '["accepted",1,{}]',
    '["accepted",1,{"messageId":"m","totalCredits":"2"}]',
    '["accepted",1,{"messageId":"m"',
    '["rejected",1,{"kind":"refused"}]',
    '["rejected",1,{"kind":"toString","error":"","errorCode":""}]',
    '["lost",1,{}]',
    "\0\0\0\0",
  ])("is not %j", (line) => {
    expect(decodeEntry(line)).toBeUndefined();
  });
});
