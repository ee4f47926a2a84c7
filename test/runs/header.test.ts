import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readHeader } from "../../src/runs/header.ts";
import { type DraftMessage, readPlan } from "../../src/runs/plan.ts";

const header = {
  version: 1,
  name: "a",
  started: "2026-01-01T00:00:00.000Z",
  binding: { baseUrl: "http://127.0.0.1", path: "/v1", credentials: "0", mode: "test" },
  plan: { messages: 1, segments: 1, digests: { file: "1", messages: "2" } },
};

const message: DraftMessage = { line: 1, to: "+254712345678", text: "Hi", segments: 1 };

/** A file with this value as JSON, removed after the test. */
function fileOf(value: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "sms-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  writeFileSync(path, `${JSON.stringify(value)}\n`);
  return path;
}

/** The files of a run with this header and no journal. */
function filesOf(value: unknown) {
  const path = fileOf(value);
  return { header: path, journal: `${path}-journal` };
}

/** The messages of a plan that is this one line. */
async function messagesOf(line: unknown) {
  const messages = [];
  for await (const each of readPlan(fileOf(line))) messages.push(each);
  return messages;
}

describe("the header of a run", () => {
  it("is read as it was written", () => {
    expect(readHeader(filesOf(header))).toEqual(header);
  });

  const { binding, plan } = header;
  it.each<[string, unknown]>([
    ["another version", { ...header, version: 2 }],
    ["no name", { ...header, name: undefined }],
    ["a number for its start", { ...header, started: 1 }],
    ["no binding", { ...header, binding: undefined }],
    ...Object.keys(binding).map((key): [string, unknown] => [
      `no ${key}`,
      { ...header, binding: { ...binding, [key]: undefined } },
    ]),
    ["no plan", { ...header, plan: null }],
    ["half a message", { ...header, plan: { ...plan, messages: 0.5 } }],
    ["no segments", { ...header, plan: { ...plan, segments: undefined } }],
    ["no digests", { ...header, plan: { ...plan, digests: [] } }],
    ["no digest of the file", { ...header, plan: { ...plan, digests: { messages: "2" } } }],
    ["a number for the messages", { ...header, plan: { ...plan, digests: { file: "1", messages: 2 } } }],
  ])("is damaged with %s", (_, value) => {
    const files = filesOf(value);
    expect(() => readHeader(files)).toThrow(expect.objectContaining({ errorCode: "RUN_DAMAGED" }));
  });
});

describe("a line of a plan", () => {
  it.each([
    message,
    { ...message, sender: { kind: "name", name: "ACME" } },
    { ...message, sender: { kind: "id", id: "0123456789abcdef01234567" } },
  ])("is read as it was written: %j", async (draft) => {
    expect(await messagesOf(draft)).toEqual([{ ...draft, index: 0 }]);
  });

  it.each([
    [null],
    [[]],
    [{ ...message, line: "1" }],
    [{ ...message, to: 254712345678 }],
    [{ ...message, text: null }],
    [{ ...message, segments: 1.5 }],
    [{ ...message, sender: null }],
    [{ ...message, sender: "ACME" }],
    [{ ...message, sender: { kind: "name", id: "x" } }],
    [{ ...message, sender: { kind: "id", name: "x" } }],
    [{ ...message, sender: { kind: "other", name: "x", id: "x" } }],
  ])("is damaged as %j", async (value) => {
    await expect(messagesOf(value)).rejects.toMatchObject({ errorCode: "RUN_DAMAGED" });
  });
});
