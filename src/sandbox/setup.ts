import { invalidOption } from "../errors.ts";
import { type FaultSpec, noFaults } from "./faults.ts";

/** Both forms of the send path (docs/internals/service-interface.md, 4.1, rule 1). */
export const sendPaths: readonly string[] = ["/api/v1/sms/send", "/v1/sms/send"];

export const sandboxKeys: readonly string[] = ["sk_test_sandbox", "sk_live_sandbox"];

/** A rotation needs keys that follow: `sk_live_sandbox-2` and so on. */
export function isSandboxKey(key: string): boolean {
  return sandboxKeys.includes(key.replace(/-([2-9]|[1-9]\d+)$/, ""));
}

/** No text has this password as a word. */
export const sandboxLogin = { email: "sandbox@example.com", password: "sandbox-pass-4010" };

export interface SandboxSender {
  readonly name: string;
  readonly id: string;
}

export interface Setup {
  /** Requests per minute. */
  readonly rate: number;
  readonly credits: number;
  /** The first is the default. */
  readonly senders: readonly SandboxSender[];
  readonly faults: FaultSpec;
}

export const defaultSetup: Setup = {
  rate: 100,
  credits: 1000,
  senders: ["SANDBOX", "ACME"].map((name, index) => ({ name, id: idAt(index) })),
  faults: noFaults,
};

/** Reads `NAME` or `NAME:ID` of each `--sender`. Throws a usage error `INVALID_OPTION`. */
export function readSenders(texts: readonly string[]): readonly SandboxSender[] {
  const senders = texts.map((text, index) => {
    const [, name = "", id = idAt(index)] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
    if (name.trim() === "" || /\p{Cc}/u.test(name))
      throw invalidSender(text, "needs a name without control characters");
    if (!/^[\da-f]{24}$/i.test(id))
      throw invalidSender(text, "has an identifier that is not 24 hexadecimal characters");
    return { name, id: id.toLowerCase() };
  });
  const twice = senders.findIndex(
    ({ name, id }, index) => senders.findIndex((other) => other.name === name || other.id === id) < index,
  );
  if (twice >= 0) throw invalidSender(texts[twice] ?? "", "has the name or the identifier of another");
  return senders;
}

function invalidSender(text: string, problem: string): Error {
  const hint = "give NAME, or NAME:ID with 24 hexadecimal characters";
  return invalidOption(`--sender ${JSON.stringify(text)} ${problem}`, hint);
}

function idAt(index: number): string {
  return `5e4de${(0xa1 + index).toString(16).padStart(19, "0")}`;
}
