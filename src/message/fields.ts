// message: what a text message is. It is pure: it reads no file, no clock and no environment.

import { senderByMembers, type Sender } from "./sender.ts";

export interface Message {
  readonly to: string;
  /** 1 to 1600 UTF-16 code units. */
  readonly text: string;
  /** If there is none, the account's default sender ID applies. */
  readonly sender?: Sender;
}

export type OwnFields = Partial<Omit<Message, "to">>;

/** The service gives these names (docs/internals/service-interface.md, 2.1). */
export type Members = Readonly<Record<string, string>>;

type Get = (name: string) => string | undefined;

interface Field<Value> {
  readonly noun: string;
  readonly members: readonly string[];
  /** The log of requests shows only how long the value is. */
  readonly isPrivate: boolean;
  readonly write: (value: Value) => Members;
  /** Throws a usage error for what cannot be a value. */
  readonly read: (get: Get) => Value | undefined;
}

type Values = Required<Message>;

type FieldName = keyof Values;

type FieldTable = { readonly [Name in FieldName]: Field<Values[Name]> };

function textField(noun: string, member: string, isPrivate: boolean): Field<string> {
  return {
    noun,
    members: [member],
    isPrivate,
    write: (value) => ({ [member]: value }),
    read: (get) => get(member),
  };
}

/** A member of `Message` that is missing here is an error of the compiler. */
const table: FieldTable = {
  to: textField("recipient", "to", false),
  sender: {
    noun: "sender",
    members: ["senderIdName", "senderId"],
    isPrivate: false,
    write: (sender): Members => (sender.kind === "name" ? { senderIdName: sender.name } : { senderId: sender.id }),
    read: (get) => senderByMembers(get("senderIdName"), get("senderId")),
  },
  text: textField("text", "message", true),
};

const fieldNames = keysOf(table);

export const memberNames: readonly string[] = fieldNames.flatMap((name) => table[name].members);

export const privateMembers: readonly string[] = fieldNames
  .filter((name) => table[name].isPrivate)
  .flatMap((name) => table[name].members);

/** These name each field but the recipient and the text. */
export const otherNouns: readonly string[] = fieldNames
  .filter((name) => name !== "to" && name !== "text")
  .map((name) => table[name].noun);

export function membersOf(message: Message): Members {
  const members: Record<string, string> = {};
  for (const name of fieldNames) Object.assign(members, membersIn(name, message));
  return members;
}

/** Undefined if the recipient or the text is missing. Throws as `Field.read`. */
export function messageFrom(get: Get): Message | undefined {
  const { text, ...others } = ownFields(get);
  const to = table.to.read(get);
  return to === undefined || text === undefined ? undefined : { to, text, ...others };
}

/** Throws as `Field.read`. */
export function ownFields(get: Get): OwnFields {
  const values: { -readonly [Name in FieldName]?: Values[Name] } = {};
  for (const name of fieldNames) if (name !== "to") readInto(values, name, get);
  return values;
}

export function fieldTexts(message: Message): ReadonlyMap<string, string> {
  return new Map(fieldNames.map((name) => [table[name].noun, JSON.stringify(membersIn(name, message))]));
}

function membersIn<Name extends FieldName>(name: Name, message: Partial<Pick<Values, Name>>): Members {
  const { write }: Field<Values[Name]> = table[name];
  const value = message[name];
  return value === undefined ? {} : write(value);
}

function readInto<Name extends FieldName>(
  values: { -readonly [Key in Name]?: Values[Key] },
  name: Name,
  get: Get,
): void {
  const { read }: Field<Values[Name]> = table[name];
  const value = read(get);
  if (value !== undefined) values[name] = value;
}

function keysOf<Keyed extends object>(keyed: Keyed): readonly Extract<keyof Keyed, string>[] {
  const keys: Extract<keyof Keyed, string>[] = [];
  for (const key in keyed) keys.push(key);
  return keys;
}
