import { endings } from "../../errors.ts";
import { tableText } from "../../terminal/layout.ts";
import { paragraph } from "../../terminal/text.ts";
import type { topics } from "./topics.ts";

export function topicText(name: (typeof topics)[number]["name"]): string {
  const texts = {
    "exit-codes": exitCodesText(),
    environment: environmentText(),
    recipients,
    templates,
    json,
  };
  return texts[name];
}

function environmentText(): string {
  const own = environment.filter(([name]) => name.startsWith("SMS"));
  const others = environment.filter((row) => !own.includes(row)).map(([name]) => name);
  const customary = paragraph(`As other programs do, sms reads ${others.join(", ")}.`, {
    columns: 80,
    used: 0,
    indent: 0,
  });
  return `Environment variables. Flags override them, but SMS_EXPECT and SMS_ONLY_TO
apply with a flag too. One of SMS_… that is set but empty is refused.

${tableText(own)}\n${customary}\n`;
}

function exitCodesText(): string {
  const rows = Object.values(endings).map(({ exitCode, sent, when }) => [String(exitCode), sent, when]);
  return `Exit codes, and whether a message was sent. The code of \`sms notify\` is
that of its command (128 + n for a signal).

${tableText([["code", "sent?", "when"], ...rows])}`;
}

const recipients = `Recipients: numbers with --to, or a file with --recipients.

Examples:
  $ sms send --to "0712 345 678" --country KE --message "Hi"
  $ sms send --recipients customers.csv --message "Hi {{name}}" --dry-run
  $ cut -d, -f2 list.csv | sms send --recipients - --message "Hi" --yes
  $ sms send --to @oncall --message "db1 is down" --yes

A number begins with + and the code of its country, or is written as it is
dialled in --country. Spaces, hyphens, dots and brackets are dropped.

A file has one of these formats, as its name, its first lines or --format says:
  plain         a number on each line; blank lines and # comments are skipped
  csv           a header; numbers in the column to, Phone No. or --to-column
  .xlsx         a workbook, of which one sheet has such columns
  ndjson        an object on each line: {"to":"+254712345678","name":"Amina"}

Every other column is a field for the text; one called message is the text of
its row. A number that occurs twice gets one message. All rows are checked
first; \`sms clean FILE\` makes a list of those that can be used.

@oncall is oncall.txt, oncall.csv or oncall.ndjson in the folder groups of the
configuration. --exclude leaves out the numbers of a file, or run:NAME.
`;

const templates = `Templates: a text with fields of the recipient.

Examples:
  $ sms send --recipients customers.csv --message "Hi {{name}}, KES {{due}}"
  $ sms send --recipients customers.csv --message "Hi {{name|customer}}"
  $ sms send --to +254712345678 --literal --message "{{name}} stays as it is"

  {{name}}            the field name of the row, in upper or lower case; a
                      row without it is an error
  {{name|customer}}   the field, else the text after |
  {{name|}}           the field, else nothing

With one recipient there are no fields: a text with {{name}} is refused, unless
--literal sends it as written.

A text in GSM-7 has 160 characters in one segment, and 153 in each of several.
One character outside it, such as ’ or an emoji, makes that 70 and 67, and each
segment is charged. \`sms preview\` counts segments and names such
characters; --gsm7 replaces those that have an equivalent. --dry-run shows the
first text as rendered.
`;

const json = `JSON: what --json prints.

Examples:
  $ sms send --to +254712345678 --message "Hi" --json | jq -r .messageId
  $ sms send --recipients list.csv --message "Hi" --yes --json > results.ndjson
  $ sms status --json | jq .balance.credits

A result is one line on stdout. A failure is one line on stderr, with nothing on
stdout:

  {"error":"…","errorCode":"INSUFFICIENT_CREDITS","httpStatus":402,
   "outcome":"rejected","exitCode":5,"hint":"…"}

outcome says what became of the message: accepted, rejected, unsent or
uncertain. Never resend an uncertain one unchecked: it may be on the phone.

A run prints a line for each recipient as it ends, and a summary last:

  {"type":"recipient","line":3,"to":"…","outcome":"accepted","messageId":"…"}
  {"type":"summary","run":"…","recipients":2,"accepted":2,"exitCode":0}

Dates are in UTC (ISO 8601). Fields may be added: ignore those you do not know.
\`sms help --json\` prints all commands, options, variables and exit codes.
`;

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
