import { invalidOption, slip, usageError } from "../errors.ts";
import { readLimited } from "../files/file-system.ts";
import { type ApiKey, readKey } from "../key.ts";
import { memberNames } from "../message/fields.ts";
import { readCountry } from "../message/number.ts";
import { senderByName } from "../message/sender.ts";
import {
  addKey,
  logIn,
  moves,
  profileMoves,
  requireUnknownKey,
  requireUnusedName,
  retiredName,
  rotateKey,
} from "../profiles/edits.ts";
import { checkedAccount, variable } from "../profiles/environment.ts";
import {
  addressFor,
  ownAddress,
  profileInUse,
  type ProfileInUse,
  runKeyCommand,
  storedProfile,
} from "../profiles/resolve.ts";
import { learnTyped } from "../profiles/secrets.ts";
import { changeProfile } from "../profiles/store.ts";
import { type Defaults, newKey, type Profile, requireOwnKey } from "../profiles/stored.ts";
import { type Address, baseUrlOf, readAddress, requireSafeFor } from "../service/address.ts";
import type { BodyFields, Credentials } from "../service/credentials.ts";
import type { Context, GlobalOptions } from "../terminal/context.ts";
import { decodeText } from "../terminal/input.ts";
import { type Prompter, prompterFor } from "../terminal/prompt.ts";
import { verifyCredentials } from "../checks/verification.ts";

interface LoginOptions extends GlobalOptions {
  readonly baseUrl?: string;
  readonly withKey?: true;
  readonly keyCommand?: string;
  readonly email?: string;
  readonly withPassword?: true;
  readonly bodyFields?: string;
  readonly sender?: string;
  readonly country?: string;
  readonly rate?: number;
  readonly verify: boolean;
}

interface Dialog {
  readonly options: LoginOptions;
  readonly context: Context;
  readonly before: ProfileInUse;
  readonly prompter: Prompter | undefined;
}

export async function storeLogin(options: LoginOptions, context: Context) {
  const { host } = context;
  refuseContradictions(options);
  const before = profileInUse(host, options.profile, true);
  const ofOptions = readDefaults(options);
  const dialog: Dialog = { options, context, before, prompter: prompterFor(host, options) };
  const address = await chooseAddress(dialog);
  const baseUrl = baseUrlOf(address);
  const mayMove = await confirmMove(baseUrl, dialog);
  const login = await chooseCredentials(dialog);
  if (login.kind !== "command") requireSafeFor(login, address, host.environment);
  const credentials = options.verify ? await credentialsOf(login, context) : undefined;
  const defaults = { ...ofOptions, ...(await askCountry(dialog)) };
  const verified =
    credentials && (await verifyCredentials({ address, credentials }, "your input", context, "--no-verify"));
  const path = verified ?? address.path;
  const entry = login.kind === "key" ? newKey(login.key, baseUrl, host.now()) : login;
  const { name } = before;
  const change = (current: Profile) => logIn(current, { name, baseUrl, mayMove, path, defaults, credentials: entry });
  return { before, profile: await changeProfile(name, context, change, true) };
}

function refuseContradictions({ email, withKey, withPassword, keyCommand, bodyFields }: LoginOptions): void {
  if ([withKey, email, keyCommand].filter((source) => source !== undefined).length > 1) {
    const sources = "--with-key, --email and --key-command";
    throw slip("AMBIGUOUS_CREDENTIALS", `more than one of ${sources} is given`, "give one of them");
  }
  if (email === undefined && (withPassword || bodyFields !== undefined))
    throw slip("NO_EMAIL", "there is no e-mail address for the account", "give it with --email ADDRESS");
}

function readDefaults({ sender, country, rate }: LoginOptions): Defaults {
  if (sender !== undefined) senderByName(sender);
  return { sender, country: country === undefined ? undefined : readCountry(country), rate };
}

async function chooseAddress({ options: { baseUrl }, before, prompter, context }: Dialog): Promise<Address> {
  if (baseUrl !== undefined) return readAddress(baseUrl, "--base-url");
  const usual = variable(context.host.environment, "SMS_BASE_URL") ?? before.baseUrl;
  // This check comes before a prompt shows the URL, because people paste secrets into URLs.
  const usualAddress = usual === undefined ? undefined : readAddress(usual, "the environment or the profile");
  if (prompter !== undefined) {
    const read = (text: string) => readAddress(text, "your input");
    return read(await prompter.ask("Base URL of the service", usual, read));
  }
  if (usualAddress !== undefined) return usualAddress;
  throw usageError("NO_BASE_URL", "there is no base URL", "give it with --base-url https://HOST");
}

/** Asks before a profile moves to another base URL. Throws `PROFILE_MOVES` if nobody can answer. */
async function confirmMove(to: string, { options: { yes }, before, prompter }: Dialog): Promise<boolean> {
  if (yes || !moves(before, to)) return yes;
  if (prompter === undefined) throw profileMoves(before.name, before, to);
  const question = `Move profile ${before.name} from ${before.baseUrl} to ${to}? Its keys are then retired.`;
  await prompter.confirm(question, "`--profile NAME` keeps both");
  return true;
}

type KeyCommand = Extract<Profile["credentials"], { readonly kind: "command" }>;

async function chooseCredentials({ options, prompter, context }: Dialog): Promise<Credentials | KeyCommand> {
  const { email, withKey, withPassword, keyCommand, bodyFields } = options;
  if (keyCommand !== undefined) {
    if (keyCommand.trim() === "") throw invalidOption("--key-command is empty", "give the command that prints the key");
    return { kind: "command", command: keyCommand };
  }
  const read = (flag: string, isGiven: boolean | undefined, question: string, check: (answer: string) => unknown) => {
    const hint = `give it on standard input with ${flag}; a CI job needs no login, but SMS_BASE_URL and SMS_API_KEY`;
    return readSecret(question, check, prompter, context, { isPiped: isGiven === true, hint });
  };
  if (email === undefined) {
    const secret = await read("--with-key", withKey, "API key", (answer) => readKey(answer, "this"));
    return { kind: "key", key: readKey(secret, withKey ? "standard input" : "your input") };
  }
  const check = (answer: string) => checkedAccount(email, answer);
  const password = await read("--with-password", withPassword, "Password", check);
  return { ...check(password), bodyFields: readBodyFields(bodyFields) };
}

async function credentialsOf(login: Credentials | KeyCommand, { host, presenter }: Context): Promise<Credentials> {
  return login.kind === "command" ? runKeyCommand(login.command, "--key-command", host, presenter) : login;
}

function readBodyFields(text: string | undefined): BodyFields | undefined {
  if (text === undefined) return undefined;
  const [email = "", password = "", ...others] = text.split(",").map((name) => name.trim());
  const reserved = ["", ...memberNames];
  if (others.length > 0 || email === password || reserved.includes(email) || reserved.includes(password))
    throw invalidOption("--body-fields does not name two new fields", "give it as EMAILFIELD,PASSWORDFIELD");
  return { email, password };
}

async function askCountry({ options: { country }, before, prompter }: Dialog): Promise<Defaults> {
  if (country !== undefined || prompter === undefined) return {};
  const read = (text: string) => (text === "" ? undefined : readCountry(text));
  const question = "Country of numbers without + (such as KE; Enter for none)";
  return { country: read(await prompter.ask(question, before.defaults.country, read)) };
}

type NewKeyOptions = GlobalOptions & Pick<LoginOptions, "verify">;

/** A stored key goes only to its profile's base URL, so that a new profile takes SMS_BASE_URL. */
export async function storeNewKey(name: string, options: NewKeyOptions, context: Context) {
  const { host } = context;
  const before = profileInUse(host, options.profile);
  requireUnusedName(before, name);
  const address = (before.baseUrl === undefined ? addressFor : ownAddress)(before, host.environment);
  const key = await askForKey(`API key to store as ${name}`, options, context);
  requireUnknownKey(before, key);
  const credentials = { kind: "key", key } as const;
  requireSafeFor(credentials, address, host.environment);
  const usual = address.path ?? (before.baseUrl === undefined ? undefined : before.path);
  const path = options.verify
    ? await verifyCredentials({ address, path: usual, credentials }, "your input", context, "--no-verify")
    : usual;
  const entry = newKey(key, baseUrlOf(address), host.now());
  const profile = await changeProfile(before.name, context, (current) => addKey(current, name, entry, path), true);
  return { key, before, profile };
}

export async function replaceKey(name: string, options: GlobalOptions, context: Context) {
  const { host } = context;
  const before = storedProfile(host, options.profile);
  requireOwnKey(before, name);
  const address = ownAddress(before, host.environment);
  const key = await askForKey(`New API key to replace ${name}`, options, context);
  const path = address.path ?? before.path;
  await verifyCredentials({ address, path, credentials: { kind: "key", key } }, "the new key", context);
  const entry = newKey(key, baseUrlOf(address), host.now());
  const profile = await changeProfile(before.name, context, (current) => rotateKey(current, name, entry));
  return { profile, oldName: retiredName(before, name) };
}

async function askForKey(question: string, options: GlobalOptions, context: Context): Promise<ApiKey> {
  const prompter = prompterFor(context.host, options);
  const how = { isPiped: prompter === undefined, hint: "give it on standard input" };
  const secret = await readSecret(question, (answer) => readKey(answer, "this"), prompter, context, how);
  return readKey(secret, "the input");
}

const mostSecretBytes = 4096;

/** If the secret is not piped, a person types the secret unseen. */
async function readSecret(
  question: string,
  check: (answer: string) => unknown,
  prompter: Prompter | undefined,
  { host: { stdin }, redactor }: Context,
  { isPiped, hint }: { readonly isPiped: boolean; readonly hint: string },
): Promise<string> {
  const source = "standard input";
  const secret =
    isPiped && !stdin.isTerminal()
      ? decodeText(await readLimited(stdin.chunks(), source, mostSecretBytes), source)
      : await prompter?.askSecret(question, check);
  if (secret === undefined)
    throw usageError("NO_SECRET", "cannot prompt for the secret: not a terminal, or prompts are off", hint);
  learnTyped(redactor, secret.trim());
  return secret;
}
