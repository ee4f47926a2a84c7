import { countText } from "../words/count.ts";
import { memberNames } from "../message/fields.ts";
import * as v from "valibot";
import { isIP } from "node:net";
import { SmsError, usageError } from "../errors.ts";
import { isObject } from "../json.ts";
import { readKey } from "../key.ts";
import { noFaults, readFaults } from "./faults.ts";

/** Both forms of the send path (docs/internals/service-interface.md, 4.1, rule 1). */
export const sendPaths = ["/api/v1/sms/send", "/v1/sms/send"] as const;

const text = v.custom<string>(
  (value) => typeof value === "string" && value !== "" && value.isWellFormed(),
  "must be a string that is not empty",
);

/** An API key; its prefix says whether it is a test key or a live key. */
const apiKey = members({
  key: v.pipe(
    text,
    readBy((given) => readKey(given, "").secret),
  ),
  revoked: v.optional(v.boolean("must be true or false"), false),
  /** The IP addresses that may use it; any if empty. */
  ips: v.optional(
    list(
      v.pipe(
        text,
        v.check((given) => isIP(given) !== 0, "must be an IP address"),
      ),
    ),
    [],
  ),
});

const sender = members({
  name: v.pipe(
    text,
    v.check((given) => given.trim() !== "" && !/\p{Cc}/u.test(given), "must be a name without control characters"),
  ),
  id: v.exactOptional(v.pipe(text, v.regex(/^[\da-f]{24}$/i, "must be 24 hexadecimal characters"), v.toLowerCase())),
});

const senders = v.pipe(
  filledList(sender),
  v.checkItems(
    ({ name, id }, index, all) =>
      all.findIndex((one) => one.name === name || (id !== undefined && one.id === id)) === index,
    "is given twice",
  ),
  v.transform(withIds),
);

/** The e-mail address and password of the account, or their names in a request body. */
const login = members({ email: text, password: text });

const bodyCredentials = v.pipe(
  login,
  v.check(
    ({ email, password }) => !memberNames.includes(email) && !memberNames.includes(password),
    "must not be called as a field of a send",
  ),
  v.check(({ email, password }) => email !== password, "must have two different names"),
);

const wholeSetup = members({
  /** Requests per minute. */
  rate: v.exactOptional(amount(1, 1_000_000, "whole number")),
  credits: v.exactOptional(amount(0, 1_000_000_000, "whole number")),
  kesPerCredit: v.exactOptional(amount(0, 1_000_000_000, "number")),
  keys: v.exactOptional(
    v.pipe(
      list(apiKey),
      unique(({ key }) => key),
    ),
  ),
  account: v.exactOptional(login),
  /** The first is the default. */
  senders: v.exactOptional(senders),
  paths: v.exactOptional(
    v.pipe(
      filledList(oneOf(sendPaths)),
      unique((path) => path),
    ),
  ),
  /** The body fields for account credentials; null to refuse them in the body. */
  bodyCredentials: v.exactOptional(v.nullable(bodyCredentials)),
  faults: v.exactOptional(
    v.pipe(
      text,
      readBy((given) => readFaults(given, "")),
    ),
  ),
});

/** The account and its faults, in config files and at `/_sandbox/account`. */
export type Setup = Required<v.InferOutput<typeof wholeSetup>>;
type SandboxSender = Required<v.InferOutput<typeof sender>>;

export const defaultSetup: Setup = {
  rate: 100,
  credits: 1000,
  kesPerCredit: 0.8,
  keys: ["sk_test_sandbox", "sk_live_sandbox"].map((key) => ({ key, revoked: false, ips: [] })),
  account: { email: "sandbox@example.com", password: "sandbox" },
  senders: withIds([{ name: "SANDBOX" }, { name: "ACME" }]),
  paths: ["/api/v1/sms/send"],
  bodyCredentials: null,
  faults: noFaults,
};

/** Reads a setup. Throws a usage error `INVALID_CONFIG` with all problems and their places. */
export function readSetup(value: unknown): Partial<Setup> {
  return read(wholeSetup, value);
}

/** Reads `NAME` or `NAME:ID` of `--sender`, with an ID of 24 hex characters. Throws what `readSetup` throws. */
export function readSenders(texts: readonly string[]): readonly SandboxSender[] {
  const written = texts.map((item) => {
    const [, name, id] = /^(.*?)(?::(.*))?$/s.exec(item) ?? [];
    return { name, ...(id !== undefined && { id }) };
  });
  return read(members({ "--sender": senders }), { "--sender": written })["--sender"];
}

function read<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value);
  if (result.success && isObject(value)) return result.output;
  const problems = isObject(value) ? (result.issues ?? []).map(sentenceOf) : ["it must be a JSON object"];
  if (problems.length === 1) throw usageError("INVALID_CONFIG", problems.join());
  throw usageError("INVALID_CONFIG", `${problems.length} problems`, { details: problems });
}

/** The sentences of an `SmsError`; rethrows any other error. */
export function problemsOf(error: unknown): readonly string[] {
  if (!(error instanceof SmsError)) throw error;
  return error.details.length > 0 ? error.details : [error.message];
}

function sentenceOf({ path, message }: v.BaseIssue<unknown>): string {
  const place = (path ?? []).map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${place.slice(1)}${message.startsWith(":") ? "" : " "}${message}`;
}

function members<const T extends v.ObjectEntries>(entries: T) {
  const names = Object.keys(entries).join(", ");
  const problem = ({ expected }: v.StrictObjectIssue) =>
    expected === "Object" ? "must be an object" : expected === "never" ? `is unknown; use ${names}` : "is missing";
  return v.pipe(v.strictObject(entries, problem), v.readonly());
}

function list<T extends v.GenericSchema>(item: T) {
  return v.pipe(v.array(item, "must be a list"), v.readonly());
}

function filledList<T extends v.GenericSchema>(item: T) {
  const problem = "must be a list that is not empty";
  return v.pipe(v.array(item, problem), v.minLength(1, problem), v.readonly());
}

function unique<T>(nameOf: (item: T) => string) {
  return v.checkItems<readonly T[], string>(
    (item, index, all) => all.findIndex((one) => nameOf(one) === nameOf(item)) === index,
    "is given twice",
  );
}

function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, `must be ${words.join(" or ")}`);
}

function amount(min: number, max: number, what: "number" | "whole number") {
  return v.custom<number>(
    (value) =>
      typeof value === "number" && value >= min && value <= max && (what === "number" || Number.isInteger(value)),
    `must be a ${what} from ${min} to ${countText(max)}`,
  );
}

function readBy<T>(convert: (given: string) => T) {
  return v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
    try {
      return convert(dataset.value);
    } catch (error) {
      if (!(error instanceof SmsError)) throw error;
      addIssue({ message: error.message.trim() });
      return NEVER;
    }
  });
}

/** Gives each sender without an identifier one that no other has. */
function withIds(written: readonly v.InferOutput<typeof sender>[]): readonly SandboxSender[] {
  const taken = new Set(written.map(({ id }) => id));
  const idAt = (index: number) => `5e4de${(0xa1 + index).toString(16).padStart(19, "0")}`;
  let spare = written.length;
  return written.map(({ name, id }, index) => {
    if (id !== undefined) return { name, id };
    let made = idAt(index);
    while (taken.has(made)) made = idAt(spare++);
    taken.add(made);
    return { name, id: made };
  });
}
