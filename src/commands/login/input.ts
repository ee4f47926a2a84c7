import { type Address, readAddress, urlOfHost } from "../../core/address.ts";
import { readCountry } from "../../core/number.ts";
import { senderByName } from "../../core/sender.ts";
import { variable } from "../../core/variable.ts";
import { usageError } from "../../errors.ts";
import type { Defaults, Profile } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import type { Prompter } from "../shared/prompt.ts";

interface LoginFlags {
  readonly baseUrl?: string;
  readonly withKey?: true;
  readonly keyCommand?: string;
  readonly keyName?: string;
  readonly email?: string;
  readonly withPassword?: true;
  readonly bodyFields?: string;
  /** False with `--no-verify`. */
  readonly verify: boolean;
  readonly sender?: string;
  readonly country?: string;
  readonly rate?: number;
}

/** The options of `sms login`. */
export type LoginOptions = LoginFlags & GlobalOptions;

/** Returns the base URL of --base-url, else asks for it, else takes that of the environment or the profile. */
export async function chooseAddress(
  { baseUrl }: LoginOptions,
  before: Profile | undefined,
  { host }: Context,
  prompter: Prompter | undefined,
): Promise<Address> {
  if (baseUrl !== undefined) return readAddress(baseUrl, "--base-url");
  const known = variable(host.environment, "SMS_BASE_URL") ?? before?.baseUrl;
  // Checked before it is shown, because people paste secrets into URLs.
  const knownAddress = known === undefined ? undefined : readAddress(known, "the environment or the profile");
  if (prompter !== undefined) return askAddress(known, prompter);
  if (knownAddress !== undefined) return knownAddress;
  throw usageError("NO_BASE_URL", "there is no base URL", "give it with --base-url https://HOST");
}

/** Asks for the base URL until there is one, and offers a scheme for a bare host. */
async function askAddress(known: string | undefined, prompter: Prompter): Promise<Address> {
  const read = (text: string) => readAddress(text, "your input");
  for (;;) {
    const answer = await prompter.ask("Base URL of the service", known, (text) => read(urlOfHost(text) ?? text));
    const url = urlOfHost(answer);
    if (url === undefined) return read(answer);
    if (await prompter.confirm(`Use ${url}?`, true)) return read(url);
  }
}

/** Returns the defaults that flags set. Throws a usage error if one is invalid. */
export function readDefaults(options: LoginOptions): Defaults {
  const { sender, country, rate } = options;
  if (sender !== undefined) senderByName(sender);
  return {
    ...(sender !== undefined && { sender }),
    ...(country !== undefined && { country: readCountry(country) }),
    ...(rate !== undefined && { rate }),
  };
}
