import type { BodyFields, Credentials } from "../../core/credentials.ts";
import { readKey } from "../../core/key.ts";
import { usageError } from "../../errors.ts";
import { checkedAccount } from "../../profiles/environment.ts";
import { commandWords, keyFromCommand } from "../../profiles/key-command.ts";
import type { Context } from "../shared/context.ts";
import { announceKeyCommand } from "../shared/destination.ts";
import type { Prompter } from "../shared/prompt.ts";
import { cannotAsk, secretFromInput } from "../shared/secret.ts";
import { learnTyped } from "../shared/secrets.ts";
import type { LoginOptions } from "./input.ts";

/** Returns the key that --key-command prints now; undefined with --no-verify. Throws a usage error for contradictory flags. */
export async function keyOfCommand(
  command: string,
  { withKey, withPassword, email, bodyFields, keyName, verify }: LoginOptions,
  { host, presenter }: Context,
): Promise<Credentials | undefined> {
  if ([withKey, withPassword, email, bodyFields, keyName].some((flag) => flag !== undefined)) {
    throw usageError("AMBIGUOUS_CREDENTIALS", "--key-command is given with other credentials", "give one of them");
  }
  commandWords(command, "--key-command");
  if (!verify) return undefined;
  announceKeyCommand("--key-command", presenter);
  return { kind: "key", key: await keyFromCommand(command, "--key-command", host) };
}

/** Reads the credentials from standard input if a flag says so, else asks. Throws a usage error for contradictory flags. */
export async function chooseCredentials(
  options: LoginOptions,
  context: Context,
  prompter: Prompter | undefined,
): Promise<Credentials> {
  refuseContradictions(options);
  const { email, withKey, withPassword } = options;
  if (email === undefined) {
    const check = (answer: string) => void readKey(answer, "this");
    const wanted = { what: "API key", flag: "--with-key", isOnInput: withKey, check };
    const secret = await readSecret(wanted, context, prompter);
    return { kind: "key", key: readKey(secret, withKey ? "standard input" : "your input") };
  }
  const check = (answer: string) => void checkedAccount(email, answer);
  const wanted = { what: "Password", flag: "--with-password", isOnInput: withPassword, check };
  const password = await readSecret(wanted, context, prompter);
  const bodyFields = readBodyFields(options.bodyFields);
  return { ...checkedAccount(email, password), ...(bodyFields !== undefined && { bodyFields }) };
}

function refuseContradictions({ email, withKey, withPassword, bodyFields, keyName }: LoginOptions): void {
  const isAccount = email !== undefined;
  if (withKey && (isAccount || withPassword)) {
    throw usageError("AMBIGUOUS_CREDENTIALS", "a key and an account are both given", "give one of them");
  }
  if (!isAccount && (withPassword || bodyFields !== undefined)) {
    throw usageError("NO_EMAIL", "there is no e-mail address for the account", "give it with --email ADDRESS");
  }
  if (isAccount && keyName !== undefined) {
    throw usageError("INVALID_OPTION", "--key-name is for API keys, not for an account", "leave it out");
  }
}

/** A secret that is asked for as `what`, unless `flag` is given, which says that it is on standard input. */
interface WantedSecret {
  readonly what: string;
  readonly flag: string;
  readonly isOnInput: true | undefined;
  readonly check: (answer: string) => void;
}

async function readSecret(
  { what, flag, isOnInput, check }: WantedSecret,
  { host, redactor }: Context,
  prompter: Prompter | undefined,
): Promise<string> {
  const isPiped = isOnInput && !host.stdin.isTerminal();
  const secret = isPiped ? await secretFromInput(host) : await prompter?.askSecret(what, check);
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
  const taken = ["", "to", "message", "senderIdName", "senderId"];
  if (others.length > 0 || email === password || taken.includes(email) || taken.includes(password)) {
    throw usageError(
      "INVALID_OPTION",
      "--body-fields does not name two new fields",
      "give it as EMAILFIELD,PASSWORDFIELD",
    );
  }
  return { email, password };
}
