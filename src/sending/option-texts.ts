import { defaultRetries, defaultTimeout } from "./limits.ts";
import type { OptionName, OptionReader } from "./options.ts";

const rates = "n/min, free, starter or professional";

/** A send loads none of these. */
const texts: Readonly<Record<OptionName, string>> = {
  to: "a recipient, or @name of a list; may be repeated",
  recipients: "a list: lines, CSV, .xlsx, NDJSON; - is stdin",
  message: "the text, with {{field}}s of the row; - for stdin",
  messageFile: "a file with the text; its final newline is dropped",
  only: "send only on failure, or only on success",
  longerThan: "send only if it ran longer than this, such as 10m",
  group: "gather what follows for so long (default: 2m)",
  atMost: "texts to each recipient in any such time (default: 6/h)",
  sender: "the sender ID, by name or identifier",
  country: "the country of local numbers (default: SMS_COUNTRY)",
  dryRun: "check everything and send nothing",
  sandbox: "send to a sandbox inside this command; needs no login",
  retry: "send these again too: rejected,uncertain or one of them",
  maxCredits: "stop before the charge passes n credits",
  run: "name the run; the same name continues it",
  gsm7: "replace characters (’ –) that force Unicode",
  segments: "cut a longer text to n segments, at the end of a word",
  literal: "send {{…}} to one recipient as written",
  once: "send once per key; a repeat shows the first outcome",
  for: "with --once: a pause, such as 1h, whatever the text",
  expect: "send only with a key of this kind: test or live",
  onlyTo: "refuse recipients who are not in this file",
  between: 'hours to send in: "08:00-20:00 Africa/Nairobi" or any',
  wait: "outside the hours, wait for the opening",
  exclude: "leave out a file's numbers or run:name; repeatable",
  timeout: `give up on a request after this time (default: ${defaultTimeout})`,
  retries: `how often to retry what was not sent (default: ${defaultRetries})`,
  sheet: "the sheet of a workbook",
  encoding: "the encoding of a text, such as windows-1252",
  format: "plain, csv or ndjson, if the guess is wrong",
  toColumn: "the column with the numbers, or several: A,B",
  skipInvalid: "leave invalid recipients out instead of stopping",
  allowDuplicates: "send to duplicate numbers too",
  repeated: "send or skip who had the text within 12 hours",
  redirectTo: "rehearse: send the first 3 to this number",
  rate: `${rates} (default: 100)`,
};

/** Texts of readers to which an option means something else. */
const otherTexts: Partial<Readonly<Record<OptionReader, Partial<typeof texts>>>> = {
  notify: {
    message: "a text of your own, with {{field}}s of the command",
    dryRun: "check everything, run and send nothing",
    maxCredits: "send nothing that may cost more than n credits",
  },
  watch: {
    message: "words of your own before the lines",
    dryRun: "print what would be sent and when, and send nothing",
    segments: "cut each text to so many segments (default: 2)",
  },
  preview: { message: "the text; - reads standard input" },
  "runs resume": { maxCredits: "stop before the whole run costs more than n credits", rate: rates },
};

export const runsHeading = "Runs:";

/** To other readers than those behind it, the options of a group are for every day. */
type OptionGroup = readonly [heading: string, names: readonly OptionName[], readers?: readonly OptionReader[]];

const groups: readonly OptionGroup[] = [
  ["Message:", ["messageFile", "sender", "country", "sandbox"], ["notify", "watch"]],
  ["Message:", ["gsm7", "segments", "literal"]],
  ["Guards:", ["maxCredits"], ["notify"]],
  ["Guards:", ["once", "for", "expect", "onlyTo", "between", "wait", "exclude"]],
  ["Request:", ["timeout", "retries"]],
  [runsHeading, ["format", "toColumn", "skipInvalid", "allowDuplicates", "repeated", "redirectTo", "rate"], ["run"]],
];

export function describedOption(
  name: string,
  way: OptionReader,
): { readonly text?: string; readonly heading?: string } {
  const textOf: Readonly<Record<string, string>> = { ...texts, ...otherTexts[way] };
  const isOfGroup = ([, members, readers]: OptionGroup) =>
    members.some((member) => member === name) && readers?.includes(way) !== false;
  return { text: textOf[name], heading: groups.find(isOfGroup)?.[0] };
}
