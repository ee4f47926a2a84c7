import { endings } from "../../errors.ts";
import { tableText } from "../../output/table.ts";

/** A page of `sms help` that is not about one command. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: () => string;
}

const environment: readonly (readonly [string, string])[] = [
  ["SMS_BASE_URL", "where the service is, as https://HOST"],
  ["SMS_API_KEY", "the API key"],
  ["SMS_API_KEY_FILE", "a file that holds the API key"],
  ["SMS_EMAIL, SMS_PASSWORD", "account credentials, where no API key is used"],
  ["SMS_PROFILE", "the profile to use, where --profile is absent"],
  ["SMS_SENDER", "sender ID by name, where --sender and --sender-id are absent"],
  ["SMS_COUNTRY", "ISO country in which numbers without + are read, where --country is absent"],
  ["SMS_CONFIG_DIR", "the folder of the credentials"],
  ["SMS_STATE_DIR", "the folder of what sends record and learn"],
  ["CI", "never ask, where it is set"],
  ["NO_COLOR, FORCE_COLOR", "colours never, colours always"],
  ["HTTP_PROXY, HTTPS_PROXY, NO_PROXY", "the way through a proxy, also in lower case"],
  ["NODE_EXTRA_CA_CERTS", "a file of further certificate authorities to trust"],
  ["NODE_DISABLE_COMPILE_CACHE", "keep no compiled code for the next start, and use none"],
];

/** The pages of `sms help` that are not about one command. */
export const topics: readonly Topic[] = [
  {
    name: "exit-codes",
    summary: "what each exit code says of the message",
    text: () => `Exit codes:\n${exitCodeTable()}`,
  },
  {
    name: "environment",
    summary: "the environment variables that are read",
    text: () =>
      `Environment variables; flags beat them, and an empty one counts as absent:\n${tableText(environment)}`,
  },
];

function exitCodeTable(): string {
  const rows = Object.values(endings).map(({ exitCode, sent, when }) => [String(exitCode), sent, when]);
  return tableText([["code", "sent?", "when"], ...rows]);
}
