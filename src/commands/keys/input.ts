import { type ApiKey, readKey } from "../../core/key.ts";
import type { Host } from "../../host.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { prompterFor } from "../shared/prompt.ts";
import { askOrReadSecret } from "../shared/secret.ts";
import { learnTyped } from "../shared/secrets.ts";

/** Asks for an API key, or reads it from standard input. Throws a usage error if it is not one. */
export async function askForKey(
  question: string,
  options: GlobalOptions,
  { host, redactor }: Context,
): Promise<ApiKey> {
  const secret = await askOrReadSecret(host, options, question, (answer) => void readKey(answer, "this"));
  learnTyped(redactor, secret.trim());
  return readKey(secret, "the input");
}

/** Asks at a terminal before a key replaces the account's password or a key command, which the person knows. */
export async function confirmSwitch({ profile }: ChosenProfile, options: GlobalOptions, host: Host): Promise<void> {
  const kind = profile?.credentials.kind;
  if ((kind !== "account" && kind !== "command") || prompterFor(host, options) === undefined) return;
  const what = kind === "account" ? "the account's password" : "the key command";
  await confirmLoss(`Use a key, and remove ${what}?`, options, host);
}
