import { learnTyped } from "../profiles/secrets.ts";
import { Command } from "@commander-js/extra-typings";
import { type Address, readAddress } from "../service/address.ts";
import type { BodyFields, Credentials } from "../service/credentials.ts";
import { memberNames } from "../message/fields.ts";
import { readKey } from "../key.ts";
import { readCountry } from "../message/number.ts";
import { senderByName } from "../message/sender.ts";
import { shellWord } from "../words/shell-word.ts";
import { variable } from "../profiles/variable.ts";
import { invalidOption, slip, usageError } from "../errors.ts";
import { logIn, profileMoves } from "../profiles/edits.ts";
import { checkedAccount, credentialVariables } from "../profiles/environment.ts";
import { type Defaults, findProfile, newProfile, type Profile } from "../profiles/stored.ts";
import { isAddressOf, loadStore, runKeyCommand } from "../profiles/resolve.ts";
import { type Context, type Runner, type GlobalOptions } from "../terminal/context.ts";
import { withExamples, withGlobalOptions } from "./shared/options.ts";
import { limits, single } from "./shared/option-values.ts";
import { timestamp } from "./shared/times.ts";
import { changeProfiles } from "../profiles/change.ts";
import { cannotAsk, type Prompter, prompterFor, secretFromInput } from "../terminal/prompt.ts";
import { liveText, nextSendNotice, overridingVariables } from "../checks/next-send.ts";
import { turnsLive } from "../profiles/keys.ts";
import { verifyCredentials } from "../checks/verification.ts";
import { showStatus } from "./status/status.ts";

export function loginCommand(run: Runner) {
  const command = loginOptions().action((flags, self) =>
    run(self, (options, context) => login({ ...flags, ...options }, context)),
  );
  return withExamples(withGlobalOptions(command, ["profile", "json", "quiet", "verbose", "input", "yes"]), [
    "sms login",
    "sms login --base-url https://HOST --with-key < key.txt",
    'sms login --base-url https://HOST --key-command "op read op://vault/sms/key"',
    "sms login --profile shop --email me@example.com --sender ACME",
  ]);
}

function loginOptions() {
  return new Command("login")
    .description(
      "Ask for the base URL of the service and an API key, check the key with the service, and store both so that only you can read them. The dashboard makes keys under Settings, API Keys.",
    )
    .option("--base-url <url>", "the address of the service, as https://HOST", single("--base-url"))
    .option("--with-key", "read the API key from standard input")
    .option("--key-command <command>", "store a command that prints the key", single("--key-command"))
    .option("--email <address>", "log in with an account instead of a key", single("--email"))
    .option("-s, --sender <name>", "the default sender ID of the profile", single("--sender"))
    .option("--country <cc>", "the default ISO country of the profile", single("--country"))
    .optionsGroup("Details:")
    .option("--with-password", "read the password from standard input")
    .option("--body-fields <email,password>", "send the account in these body fields", single("--body-fields"))
    .option("--no-verify", "do not check the credentials with the service")
    .option("--rate <n>", "for runs: n/min, free, starter or professional", limits.rate);
}

type LoginOptions = ReturnType<ReturnType<typeof loginOptions>["opts"]> & GlobalOptions;

async function login(options: LoginOptions, context: Context): Promise<void> {
  const { host } = context;
  refuseContradictions(options);
  const store = loadStore(host);
  const name = options.profile ?? variable(host.environment, "SMS_PROFILE") ?? store.active;
  const before = findProfile(store, name) ?? newProfile;
  const typed = readDefaults(options);
  const prompter = prompterFor(host, options);
  const address = await chooseAddress(options, { before, context }, prompter);
  const baseUrl = address.origin + address.basePath;
  const mayMove = await confirmMove({ name, before, address }, { prompter, isAnswered: options.yes });
  const { keyCommand } = options;
  const credentials = await chooseCredentials(options, context, prompter);
  const defaults = { ...typed, ...(await askCountry(options, before, prompter)) };
  const path =
    options.verify && credentials !== undefined
      ? await verifyCredentials({ address, credentials }, "your input", context, "--no-verify")
      : undefined;
  const stored = keyCommand === undefined ? credentials : { kind: "command" as const, command: keyCommand };
  const { active, profiles } = await changeProfiles(context, (current) =>
    stored === undefined
      ? current
      : logIn(current, name, { baseUrl, path, defaults, mayMove, credentials: stored, added: timestamp(host) }),
  );
  const after = profiles[name];
  if (after !== undefined && turnsLive(before, after)) context.presenter.warn(liveText(name));
  await showStored(options, name, context);
  const option = name === (host.environment["SMS_PROFILE"]?.trim() || active) ? "" : `--profile ${shellWord(name)} `;
  context.presenter.tell(({ isTerminal, paint, foreign }) =>
    isTerminal ? `\n${paint.faint("Next:")} ${foreign(`sms send ${option}--to NUMBER --message "Hello"`)}\n` : "",
  );
}

/** Whether the profile moves to another base URL, which a person must want. Throws `PROFILE_MOVES` where nobody can be asked. */
async function confirmMove(
  { name, before, address }: { readonly name: string; readonly before: Profile; readonly address: Address },
  { prompter, isAnswered }: { readonly prompter: Prompter | undefined; readonly isAnswered: boolean },
): Promise<boolean> {
  if (before.baseUrl === undefined || isAddressOf(before, address)) return false;
  const to = address.origin + address.basePath;
  if (isAnswered) return true;
  if (prompter === undefined) throw profileMoves(name, before.baseUrl, to);
  if (await prompter.confirm(`Move profile ${name} from ${before.baseUrl} to ${to}? Its keys are then retired.`))
    return true;
  throw usageError("DECLINED", "Cancelled; nothing was stored.", "`--profile NAME` keeps both");
}

async function showStored(options: LoginOptions, name: string, context: Context): Promise<void> {
  const { host, presenter } = context;
  const hidden: readonly string[] = ["SMS_BASE_URL", ...credentialVariables];
  const environment = Object.fromEntries(Object.entries(host.environment).filter(([each]) => !hidden.includes(each)));
  const [next, ...more] = await nextSendNotice(name, host);
  const overriding = overridingVariables(name, host);
  if (overriding !== undefined && next !== undefined) presenter.warn(next);
  await showStatus(
    { ...options, profile: name },
    { ...context, host: { ...host, environment } },
    options.verify ? "Logged in" : "Stored, but the service has not checked it",
  );
  presenter.note((overriding === undefined ? [next, ...more] : more).join(" "));
}

/** Asks for the country of numbers without +, unless the option has it. */
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

/** Returns the base URL of --base-url, else asks for it, else takes the one of the environment or the profile. */
async function chooseAddress(
  { baseUrl }: LoginOptions,
  { before, context: { host } }: { readonly before: Profile; readonly context: Context },
  prompter: Prompter | undefined,
): Promise<Address> {
  if (baseUrl !== undefined) return readAddress(baseUrl, "--base-url");
  const usual = variable(host.environment, "SMS_BASE_URL") ?? before.baseUrl;
  // Checked before it is shown, because people paste secrets into URLs.
  const usualAddress = usual === undefined ? undefined : readAddress(usual, "the environment or the profile");
  if (prompter !== undefined) {
    const read = (text: string) => readAddress(text, "your input");
    return read(await prompter.ask("Base URL of the service", usual, read));
  }
  if (usualAddress !== undefined) return usualAddress;
  throw usageError("NO_BASE_URL", "there is no base URL", "give it with --base-url https://HOST");
}

function readDefaults(options: LoginOptions): Defaults {
  const { sender, country, rate } = options;
  if (sender !== undefined) senderByName(sender);
  return { sender, country: country === undefined ? undefined : readCountry(country), rate };
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

/**
 * Returns the key that --key-command prints now, undefined with --no-verify. Without it, reads the credentials from standard
 * input if a flag says so, else asks.
 */
async function chooseCredentials(
  options: LoginOptions,
  context: Context,
  prompter: Prompter | undefined,
): Promise<Credentials | undefined> {
  const { email, withKey, keyCommand } = options;
  if (keyCommand !== undefined) {
    if (keyCommand.trim() === "") throw invalidOption("--key-command is empty", "give the command that prints the key");
    if (!options.verify) return undefined;
    return runKeyCommand(keyCommand, "--key-command", context.host, context.presenter);
  }
  const askSecret = prompter?.askSecret;
  if (email === undefined) {
    const ask = askSecret && (() => askSecret("API key", (answer) => void readKey(answer, "this")));
    const secret = await readSecret("--with-key", { isGiven: withKey, ask }, context);
    return { kind: "key", key: readKey(secret, withKey ? "standard input" : "your input") };
  }
  const ask = askSecret && (() => askSecret("Password", (answer) => void checkedAccount(email, answer)));
  const password = await readSecret("--with-password", { isGiven: options.withPassword, ask }, context);
  const bodyFields = readBodyFields(options.bodyFields);
  return { ...checkedAccount(email, password), bodyFields };
}

/** Reads a secret from standard input if `flag` says that it is there, else asks for it. */
async function readSecret(
  flag: string,
  { isGiven, ask }: { readonly isGiven: true | undefined; readonly ask: (() => Promise<string>) | undefined },
  { host, redactor }: Context,
): Promise<string> {
  const isPiped = isGiven && !host.stdin.isTerminal();
  const secret = isPiped ? await secretFromInput(host) : await ask?.();
  if (secret === undefined) {
    const hint = `give it on standard input with ${flag}; a CI job needs no login, but SMS_BASE_URL and SMS_API_KEY`;
    throw cannotAsk(hint);
  }
  learnTyped(redactor, secret.trim());
  return secret;
}

function readBodyFields(text: string | undefined): BodyFields | undefined {
  if (text === undefined) return undefined;
  const [email = "", password = "", ...others] = text.split(",").map((name) => name.trim());
  const taken = ["", ...memberNames];
  if (others.length > 0 || email === password || taken.includes(email) || taken.includes(password)) {
    throw invalidOption("--body-fields does not name two new fields", "give it as EMAILFIELD,PASSWORDFIELD");
  }
  return { email, password };
}
