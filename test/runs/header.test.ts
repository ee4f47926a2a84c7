import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readHeader } from "../../src/record/header.ts";
import { readPlan } from "../../src/record/plan.ts";

const header = {
  version: 1,
  name: "a",
  started: "2026-01-01T00:00:00.000Z",
  binding: { baseUrl: "http://127.0.0.1", path: "/v1", credentials: "0", mode: "test" },
  plan: { messages: 1, segments: 1, digests: { file: "1", messages: "2" } },
};

const to = "+254712345678";
const line = { line: 1, message: { to, message: "Hi" }, segments: 1 };

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
async function messagesOf(content: unknown) {
  const messages = [];
  for await (const each of readPlan(fileOf(content))) messages.push(each);
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
  it("is read as it was written", async () => {
    const [first] = await messagesOf({ ...line, ownSender: true, fields: { due: "5" } });
    expect(first).toEqual({ index: 0, line: 1, to, text: "Hi", segments: 1, ownSender: true, fields: { due: "5" } });
  });

  it.each([
    [null],
    [[]],
    [{ ...line, line: "1" }],
    [{ ...line, message: { to: 254712345678, message: "Hi" } }],
    [{ ...line, message: { to } }],
    [{ ...line, message: { message: "Hi" } }],
    [{ ...line, message: null }],
    [{ ...line, segments: 1.5 }],
    [{ ...line, fields: { due: 5 } }],
    [{ ...line, ownSender: "ACME" }],
    [{ ...line, message: { to, message: "Hi", senderId: "ACME" } }],
    [{ ...line, message: { to, message: "Hi", senderIdName: "ACME", senderId: "0123456789abcdef01234567" } }],
  ])("is damaged as %j", async (value) => {
    await expect(messagesOf(value)).rejects.toMatchObject({ errorCode: "RUN_DAMAGED" });
  });
});
