/** A page of `sms help` that is not about one command. */
export interface Topic {
  readonly name: "exit-codes" | "environment" | "recipients" | "templates" | "json";
  readonly summary: string;
}

/** The pages of `sms help` that are not about one command. Their texts are in help-texts.ts. */
export const topics: readonly Topic[] = [
  { name: "exit-codes", summary: "what each exit code says about the message" },
  { name: "environment", summary: "the environment variables that sms reads" },
  { name: "recipients", summary: "numbers, and files of recipients" },
  { name: "templates", summary: "fields in the text, and what a segment is" },
  { name: "json", summary: "what --json prints" },
];

/** The environment variables that sms reads, and what each is for. */
export const environment: readonly (readonly [string, string])[] = [
  ["SMS_BASE_URL", "the address of the service, as https://HOST"],
  ["SMS_API_KEY", "the API key"],
  ["SMS_API_KEY_FILE", "a file with the API key"],
  ["SMS_API_KEY_CMD", "a command that prints the API key"],
  ["SMS_EMAIL, SMS_PASSWORD", "an account, if there is no API key"],
  ["SMS_PROFILE", "the profile, without --profile"],
  ["SMS_SENDER", "the name of the sender ID, without --sender"],
  ["SMS_COUNTRY", "the country, without --country"],
  ["SMS_EXPECT", "fail unless the key is test or live"],
  ["SMS_ONLY_TO", "a file or numbers with commas: the only recipients"],
  ["SMS_CONFIG_DIR", "the folder for credentials"],
  ["SMS_STATE_DIR", "the folder for runs, balances and prices"],
  ["CI", "never prompt, if it is set"],
  ["NO_COLOR, FORCE_COLOR", "never print colours, always print colours"],
  ["HTTP_PROXY, HTTPS_PROXY", "the proxy to use; lower case works too"],
  ["NO_PROXY", "hosts to reach without the proxy"],
  ["NODE_EXTRA_CA_CERTS", "a file of more certificate authorities to trust"],
  ["NODE_DISABLE_COMPILE_CACHE", "do not cache compiled code between starts"],
];
