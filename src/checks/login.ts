import { invalidOption, slip, usageError } from "../errors.ts";
import { readKey } from "../key.ts";
import { memberNames } from "../message/fields.ts";
import { readCountry } from "../message/number.ts";
import { senderByName } from "../message/sender.ts";
import { logIn, moves, profileMoves } from "../profiles/edits.ts";
import { checkedAccount } from "../profiles/environment.ts";
import { profileInUse, type ProfileInUse, runKeyCommand } from "../profiles/resolve.ts";
import { changeProfile } from "../profiles/store.ts";
import { type Defaults, newKey, type Profile } from "../profiles/stored.ts";
import { variable } from "../profiles/variable.ts";
import { type Address, baseUrlOf, readAddress } from "../service/address.ts";
import type { BodyFields, Credentials } from "../service/credentials.ts";
import type { Context, GlobalOptions } from "../terminal/context.ts";
import { type Prompter, prompterFor } from "../terminal/prompt.ts";
import { readSecret } from "./ask-secret.ts";
import { verifyCredentials } from "./verification.ts";

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

/** Asks for what no option has, and stores the credentials once the service accepts them. */
export async function storeLogin(
  options: LoginOptions,
  context: Context,
): Promise<{ readonly before: ProfileInUse; readonly profile: ProfileInUse }> {
  const { host } = context;
  refuseContradictions(options);
  const before = profileInUse(host, options.profile, true);
  const typed = readDefaults(options);
  const prompter = prompterFor(host, options);
  const address = await chooseAddress(options, before, prompter, context);
  const baseUrl = baseUrlOf(address);
  const mayMove = await confirmMove(before, baseUrl, options, prompter);
  const login = await chooseCredentials(options, prompter, context);
  const credentials = options.verify ? await credentialsOf(login, context) : undefined;
  const defaults = { ...typed, ...(await askCountry(options, before, prompter)) };
  const path = credentials && (await verifyCredentials({ address, credentials }, "your input", context, "--no-verify"));
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
  if (email === undefined && (withPassword || bodyFields !== undefined)) {
    throw slip("NO_EMAIL", "there is no e-mail address for the account", "give it with --email ADDRESS");
  }
}

function readDefaults({ sender, country, rate }: LoginOptions): Defaults {
  if (sender !== undefined) senderByName(sender);
  return { sender, country: country === undefined ? undefined : readCountry(country), rate };
}

async function chooseAddress(
  { baseUrl }: LoginOptions,
  before: Profile,
  prompter: Prompter | undefined,
  { host }: Context,
): Promise<Address> {
  if (baseUrl !== undefined) return readAddress(baseUrl, "--base-url");
  const usual = variable(host.environment, "SMS_BASE_URL") ?? before.baseUrl;
  // This check comes before a prompt shows the URL, because people paste secrets into URLs.
  const usualAddress = usual === undefined ? undefined : readAddress(usual, "the environment or the profile");
  if (prompter !== undefined) {
    const read = (text: string) => readAddress(text, "your input");
    return read(await prompter.ask("Base URL of the service", usual, read));
  }
  if (usualAddress !== undefined) return usualAddress;
  throw usageError("NO_BASE_URL", "there is no base URL", "give it with --base-url https://HOST");
}

/** A person must want that the profile moves. Throws `PROFILE_MOVES` if nobody can be asked. */
async function confirmMove(
  before: ProfileInUse,
  to: string,
  { yes }: LoginOptions,
  prompter: Prompter | undefined,
): Promise<boolean> {
  if (yes || !moves(before, to)) return yes;
  if (prompter === undefined) throw profileMoves(before.name, before, to);
  const question = `Move profile ${before.name} from ${before.baseUrl} to ${to}? Its keys are then retired.`;
  if (await prompter.confirm(question)) return true;
  throw usageError("DECLINED", "Cancelled; nothing was stored.", "`--profile NAME` keeps both");
}

type KeyCommand = Extract<Profile["credentials"], { readonly kind: "command" }>;

async function chooseCredentials(
  { email, withKey, withPassword, keyCommand, bodyFields }: LoginOptions,
  prompter: Prompter | undefined,
  context: Context,
): Promise<Credentials | KeyCommand> {
  if (keyCommand !== undefined) {
    if (keyCommand.trim() === "") throw invalidOption("--key-command is empty", "give the command that prints the key");
    return { kind: "command", command: keyCommand };
  }
  const ask = (question: string, flag: string, isGiven: boolean, check: (answer: string) => unknown) => {
    const hint = `give it on standard input with ${flag}; a CI job needs no login, but SMS_BASE_URL and SMS_API_KEY`;
    const isPiped = isGiven && !context.host.stdin.isTerminal();
    return readSecret({ question, check, isPiped, hint }, prompter, context);
  };
  if (email === undefined) {
    const secret = await ask("API key", "--with-key", withKey === true, (answer) => readKey(answer, "this"));
    return { kind: "key", key: readKey(secret, withKey ? "standard input" : "your input") };
  }
  const check = (answer: string) => checkedAccount(email, answer);
  const password = await ask("Password", "--with-password", withPassword === true, check);
  return { ...check(password), bodyFields: readBodyFields(bodyFields) };
}

async function credentialsOf(login: Credentials | KeyCommand, { host, presenter }: Context): Promise<Credentials> {
  return login.kind === "command" ? runKeyCommand(login.command, "--key-command", host, presenter) : login;
}

function readBodyFields(text: string | undefined): BodyFields | undefined {
  if (text === undefined) return undefined;
  const [email = "", password = "", ...others] = text.split(",").map((name) => name.trim());
  const reserved = ["", ...memberNames];
  if (others.length > 0 || email === password || reserved.includes(email) || reserved.includes(password)) {
    throw invalidOption("--body-fields does not name two new fields", "give it as EMAILFIELD,PASSWORDFIELD");
  }
  return { email, password };
}

/** Numbers without + are of this country. */
async function askCountry(
  { country }: LoginOptions,
  before: Profile,
  prompter: Prompter | undefined,
): Promise<Defaults> {
  if (country !== undefined || prompter === undefined) return {};
  const read = (text: string) => (text === "" ? undefined : readCountry(text));
  const question = "Country of numbers without + (such as KE; Enter for none)";
  return { country: read(await prompter.ask(question, before.defaults.country, read)) };
}
