import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { limits } from "../shared/limits.ts";
import { single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms login`: its flags and its help. */
export function loginCommand(run: Run) {
  const command = new Command("login")
    .summary("store the credentials of a profile")
    .description(
      "Ask for the base URL of the service and an API key, check the key with the service, and store both so that only you can read them. The dashboard makes keys under Settings, API Keys.",
    )
    .option("--base-url <url>", "the address of the service, as https://HOST", single("--base-url"))
    .option("--with-key", "read the API key from standard input")
    .option("--key-command <command>", "store a command that prints the key", single("--key-command"))
    .option("--key-name <name>", "the name of the key (default: test or live)", single("--key-name"))
    .option("--email <address>", "log in with an account instead of a key", single("--email"))
    .option("--with-password", "read the password from standard input")
    .option("--body-fields <email,password>", "send the account in these body fields", single("--body-fields"))
    .option("--no-verify", "do not check the credentials with the service")
    .option("-s, --sender <name>", "the default sender ID of the profile", single("--sender"))
    .option("--country <cc>", "the default ISO country of the profile", single("--country"))
    .option("--rate <n>", "for runs: n/min, free, starter or professional", limits.rate)
    .action((flags, self) =>
      run(self, async (options, context) => (await import("./login.ts")).login({ ...flags, ...options }, context)),
    );
  return withExamples(withGlobalOptions(command, ["profile", "json", "quiet", "verbose", "input"]), [
    "sms login",
    "sms login --base-url https://HOST --with-key < key.txt",
    'sms login --base-url https://HOST --key-command "op read op://vault/sms/key"',
    "sms login --profile shop --email me@example.com --sender ACME",
  ]);
}
