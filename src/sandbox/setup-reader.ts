import { isIP } from "node:net";
import { readKey } from "../message/key.ts";
import { readFaults } from "./faults.ts";
import { amount, flag, invalid, listOf, oneOf, orNull, readMembers, type Shape, text } from "./json-reader.ts";
import { tiers } from "./rate-window.ts";
import { requestFields } from "./send-request.ts";
import {
  type AccountLogin,
  type AccountSetup,
  type FaultSetup,
  type SandboxKey,
  type SandboxSender,
  senderIdAt,
  sendPaths,
  type Setup,
} from "./setup.ts";

const maxAmount = 1_000_000_000;
const maxRate = 1_000_000;
const maxSeed = 2 ** 32 - 1;

const keyShape: Shape<SandboxKey> = {
  key: (value, place) => readKey(text(value, place), place).secret,
  revoked: flag,
  ips: listOf(address, 0),
};

const senderShape: Shape<SandboxSender> = { name: senderName, id: senderId };

/** A sender ID as it is written: its identifier may be missing. */
type WrittenSender = Pick<SandboxSender, "name"> & Partial<SandboxSender>;

const senderList = listOf<WrittenSender>(
  sender,
  1,
  ({ name }) => name,
  ({ name, id }) => id ?? `of ${name}`,
);

const loginShape: Shape<AccountLogin> = { email: text, password: text };

const accountShape: Shape<AccountSetup> = {
  tier: oneOf(tiers),
  rate: orNull(amount(1, maxRate, true)),
  credits: amount(0, maxAmount, true),
  kesPerCredit: amount(0, maxAmount, false),
  keys: listOf(apiKey, 0, ({ key }) => key),
  account: login,
  senders: (value, place) => withIds(senderList(value, place, 0)),
  paths: listOf(oneOf(sendPaths), 1, (path) => path),
  bodyCredentials: orNull(fieldNames),
};

const faultShape: Shape<FaultSetup> = {
  faults: (value, place) => readFaults(text(value, place), place),
  seed: amount(0, maxSeed, true),
};

/** Reads a sandbox's config file. Throws a usage error `INVALID_CONFIG` with all problems and their places. */
export function readSetup(value: unknown): Partial<Setup> {
  return readMembers<Setup>({ ...accountShape, ...faultShape }, value, "");
}

/** Reads a change of the account. Throws as `readSetup` does. */
export function readAccountSetup(value: unknown): Partial<AccountSetup> {
  return readMembers(accountShape, value, "");
}

/** Reads a change of the faults. Throws as `readSetup` does. */
export function readFaultSetup(value: unknown): Partial<FaultSetup> {
  return readMembers(faultShape, value, "");
}

/** Reads `NAME` or `NAME:ID`, with an ID of 24 hex characters. Throws as `readSetup` does. */
export function readSenders(texts: readonly string[], place: string): readonly SandboxSender[] {
  const senders = texts.map((item) => {
    const [, name, id] = /^(.*?)(?::(.*))?$/s.exec(item) ?? [];
    return { name, ...(id !== undefined && { id }) };
  });
  return accountShape.senders(senders, place, 0);
}

function apiKey(value: unknown, place: string): SandboxKey {
  const { key, revoked = false, ips = [] } = readMembers(keyShape, value, place);
  if (key === undefined) throw invalid(place, "has no key");
  return { key, revoked, ips };
}

function address(value: unknown, place: string): string {
  const ip = text(value, place);
  if (isIP(ip) === 0) throw invalid(place, "must be an IP address");
  return ip;
}

function sender(value: unknown, place: string): WrittenSender {
  const { name, ...more } = readMembers(senderShape, value, place);
  if (name === undefined) throw invalid(place, "has no name");
  return { name, ...more };
}

/** Gives each sender without an identifier one that no other has. */
function withIds(senders: readonly WrittenSender[]): readonly SandboxSender[] {
  const taken = new Set(senders.map(({ id }) => id));
  let spare = senders.length;
  return senders.map(({ name, id }, index) => {
    if (id !== undefined) return { name, id };
    let made = senderIdAt(index);
    while (taken.has(made)) made = senderIdAt(spare++);
    taken.add(made);
    return { name, id: made };
  });
}

function senderName(value: unknown, place: string): string {
  const name = text(value, place);
  if (name.trim() === "" || /\p{Cc}/u.test(name)) throw invalid(place, "must be a name without control characters");
  return name;
}

function senderId(value: unknown, place: string): string {
  const id = text(value, place);
  if (!/^[\da-f]{24}$/i.test(id)) throw invalid(place, "must be 24 hexadecimal characters");
  return id.toLowerCase();
}

function login(value: unknown, place: string): AccountLogin {
  const { email, password } = readMembers(loginShape, value, place);
  if (email === undefined || password === undefined) throw invalid(place, "must have an email and a password");
  return { email, password };
}

function fieldNames(value: unknown, place: string): AccountLogin {
  const names = login(value, place);
  const reserved = [names.email, names.password].find((name) => requestFields.has(name));
  if (reserved !== undefined) throw invalid(place, `must not be called ${reserved}, which is a field of a send`);
  if (names.email === names.password) throw invalid(place, "must have two different names");
  return names;
}
