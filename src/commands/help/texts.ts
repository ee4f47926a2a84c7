import { readAsset } from "../../assets.ts";
import { endings } from "../../errors.ts";
import { listingText } from "../../terminal/layout.ts";
import { paragraph } from "../../terminal/text.ts";
import type { topics } from "./pages.ts";

const plainPage = { isTerminal: false, columns: 80 };

export function topicText(name: (typeof topics)[number]["name"]): string {
  if (name === "exit-codes") return exitCodesText();
  return name === "environment" ? environmentText() : readAsset(`help/${name}.txt`).toString();
}

function environmentText(): string {
  const ours = variables.filter(([name]) => name.startsWith("SMS"));
  const others = variables.filter((row) => !ours.includes(row)).map(([name]) => name);
  const customary = `As other programs do, sms reads ${others.join(", ")}.`;
  return `Environment variables. Flags override them, but SMS_EXPECT and SMS_ONLY_TO
apply with a flag too. An SMS_… variable that is set but empty is an error.

${listingText(plainPage, ours)}\n${paragraph(customary, { ...plainPage, column: 0, indent: 0 })}\n`;
}

function exitCodesText(): string {
  const rows = Object.values(endings).map((ending) => [String(ending.exitCode), ending.sent, ending.when]);
  return `Exit codes, and whether a message was sent. The code of \`sms notify\` is
that of its command (128 + n for a signal).

${listingText(plainPage, [["code", "sent?", "when"], ...rows])}`;
}

export const variables: readonly (readonly [string, string])[] = [
  ["SMS_BASE_URL", "the address of the service, as https://HOST"],
  ["SMS_API_KEY", "the API key"],
  ["SMS_API_KEY_FILE", "a file with the API key"],
  ["SMS_API_KEY_CMD", "a command that prints the API key"],
  ["SMS_EMAIL, SMS_PASSWORD", "an account, if there is no API key"],
  ["SMS_PROFILE", "the profile, without --profile"],
  ["SMS_SENDER, SMS_COUNTRY", "for sends without --sender, --country"],
  ["SMS_EXPECT", "send only with a key of this kind: test or live"],
  ["SMS_ONLY_TO", "a file or numbers with commas: the only recipients"],
  ["SMS_NOTIFY_TO", "whom notify tells how a command ended, without --to"],
  ["SMS_DAILY_CREDITS", "credits that live messages may cost in a day"],
  ["SMS_HISTORY", "off: keep single messages out of the history"],
  ["SMS_RECORD", "the record that a team shares, in PostgreSQL"],
  ["SMS_CONFIG_DIR", "the folder for credentials"],
  ["SMS_STATE_DIR", "the folder for runs, history and opt-outs"],
  ["SMS_SANDBOX_TOKEN", "the token of the sandbox, if it has one"],
  ["CI", "never prompt, if it is set"],
  ["NO_COLOR", "never print colours"],
  ["FORCE_COLOR", "always print colours, if NO_COLOR is not set"],
  ["HTTP_PROXY, HTTPS_PROXY, ALL_PROXY", "the proxy to use; lower case works too"],
  ["NO_PROXY", "hosts to reach without the proxy"],
  ["NODE_EXTRA_CA_CERTS", "a file of more certificate authorities to trust"],
  ["NODE_DISABLE_COMPILE_CACHE", "do not cache compiled code between starts"],
];
