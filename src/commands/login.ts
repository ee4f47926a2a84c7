import { storeLogin } from "../logins/new-credentials.ts";
import { liveText, nextSendNotice, overridingVariables } from "../checks/status.ts";
import { credentialVariables } from "../profiles/environment.ts";
import { turnsLive } from "../profiles/keys.ts";
import { loadStore } from "../profiles/resolve.ts";
import type { Context, Perform } from "../terminal/context.ts";
import { shellWord } from "../words/shell-word.ts";
import { amounts } from "../sending/option-values.ts";
import { newCommand, type OptionsOf } from "./shared/options.ts";
import { showStatus } from "./status/status.ts";

export function loginCommand(perform: Perform) {
  return loginOptions().action((_, command) => perform(command, login));
}

function loginOptions() {
  return newCommand("login", {
    endsWith: "done",
    description:
      "Ask for the base URL of the service and an API key, check the key with the service, and store both so that only you can read them. The dashboard makes keys under Settings, API Keys.",
    uses: ["profile", "json", "quiet", "verbose", "input", "yes"],
    examples: [
      "sms login",
      "sms login --base-url https://HOST --with-key < key.txt",
      'sms login --base-url https://HOST --key-command "op read op://vault/sms/key"',
      "sms login --profile shop --email me@example.com --sender ACME",
    ],
  })
    .option("--base-url <url>", "the address of the service, as https://HOST")
    .option("--with-key", "read the API key from standard input")
    .option("--key-command <command>", "store a command that prints the key")
    .option("--email <address>", "log in with an account instead of a key")
    .option("-s, --sender <name>", "the default sender ID of the profile")
    .option("--country <cc>", "the default ISO country of the profile")
    .optionsGroup("Details:")
    .option("--with-password", "read the password from standard input")
    .option("--body-fields <email,password>", "send the account in these body fields")
    .option("--no-verify", "do not check the credentials with the service")
    .option("--rate <n>", "for runs: n/min, free, starter or professional", amounts.rate);
}

async function login(options: OptionsOf<typeof loginOptions>, context: Context): Promise<void> {
  const { host, presenter } = context;
  const { before, profile } = await storeLogin(options, context);
  const { name } = profile;
  if (turnsLive(before, profile)) presenter.warn(liveText(name));
  const [next, ...more] = await nextSendNotice(name, host);
  const isOverridden = overridingVariables(name, host) !== undefined;
  if (isOverridden && next !== undefined) presenter.warn(next);
  const hidden: readonly string[] = ["SMS_BASE_URL", ...credentialVariables];
  const environment = Object.fromEntries(Object.entries(host.environment).filter(([each]) => !hidden.includes(each)));
  const heading = options.verify ? "Logged in" : "Stored, but the service has not checked it";
  await showStatus({ ...options, profile: name }, { ...context, host: { ...host, environment } }, heading);
  presenter.note((isOverridden ? more : [next, ...more]).join(" "));
  const usual = host.environment["SMS_PROFILE"]?.trim() || loadStore(host).active;
  const option = name === usual ? "" : `--profile ${shellWord(name)} `;
  presenter.tell(({ isTerminal, paint, foreign }) =>
    isTerminal ? `\n${paint.faint("Next:")} ${foreign(`sms send ${option}--to NUMBER --message "Hello"`)}\n` : "",
  );
}
