import { Command } from "@commander-js/extra-typings";
import { limits } from "../shared/limits.ts";
import { type GlobalFlags, type GlobalOptions, single, withGlobalOptions } from "../shared/options.ts";

/** The flags of `sms login` as they were given. */
export interface LoginFlags {
  readonly baseUrl?: string;
  readonly withKey?: true;
  readonly keyName?: string;
  readonly email?: string;
  readonly withPassword?: true;
  readonly bodyFields?: string;
  /** False with `--no-verify`. */
  readonly verify: boolean;
  readonly sender?: string;
  readonly country?: string;
  readonly tier?: "free" | "starter" | "professional";
  readonly rate?: number;
}

/** What `sms login` is given. */
export type LoginOptions = LoginFlags & GlobalOptions;

/** `sms login`: its flags and its help. */
export function loginCommand(run: (flags: LoginFlags & GlobalFlags) => Promise<void>) {
  const command = new Command("login")
    .summary("store the credentials of a profile")
    .description(
      "Asks for the service's base URL and an API key, asks the service whether it takes them, and stores them\nfor you alone to read. The dashboard makes keys under Settings, API Keys.",
    )
    .option("--base-url <url>", "where the service is, as https://HOST", single("--base-url"))
    .option("--with-key", "read the API key from standard input")
    .option("--key-name <name>", "the name to keep the key under (default: its mode)", single("--key-name"))
    .option("--email <address>", "log in with account credentials instead of a key", single("--email"))
    .option("--with-password", "read the account's password from standard input")
    .option(
      "--body-fields <email,password>",
      "send account credentials in the request body, under these names",
      single("--body-fields"),
    )
    .option("--no-verify", "do not ask the service whether it takes them")
    .option("-s, --sender <name>", "the profile's default sender ID", single("--sender"))
    .option("--country <cc>", "the profile's default country", single("--country"))
    .option("--tier <name>", "the account's tier: free, starter or professional", limits.tier)
    .option("--rate <n>", "requests per minute at most", limits.rate);
  return withGlobalOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  $ sms login
  $ sms login --base-url https://HOST --with-key < key.txt
  $ sms login --profile shop --email me@example.com --sender ACME`,
    )
    .action(run);
}
