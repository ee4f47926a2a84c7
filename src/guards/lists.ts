import { basename } from "node:path";
import type { Country } from "../message/number.ts";
import { unknownAmong, reachedBy } from "../record/run-with-ledger.ts";
import { leftOutSentence } from "../record/left-out.ts";
import { isLive } from "../service/credentials.ts";
import type { NumberSet } from "../message/number-set.ts";
import { profileOption } from "../words/shell-word.ts";
import { usageError } from "../errors.ts";
import type { GuardInput, Guard } from "./guard.ts";
import type { Host } from "../host.ts";
import { mendedBy } from "../recipients/faults.ts";
import { readNumberList } from "../recipients/number-lists.ts";
import { onlyComments, readRecipients, withoutComments } from "../recipients/read.ts";
import { typedRow } from "../recipients/row.ts";
import { ListFacts, openSource } from "../recipients/source.ts";
import { UnassignedNumbers } from "../recipients/unassigned.ts";
import { explainedBy } from "../recipients/ways-on.ts";
import { countText, plural } from "../words/count.ts";
import { commentedTexts, listTexts } from "../recipients/list-texts.ts";
import { countryOf } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";

/** Throws a usage error for a list that cannot be read. */
export async function openOnlyTo(
  { options, profile, shared: { country }, context: { host } }: GuardInput,
  ofEnvironment: string | undefined,
): Promise<readonly Guard[]> {
  // If numbers without + were read in another country, they would be other people's.
  const usual = countryOf(undefined, host.environment, profile) ?? country;
  const ofProfile = countryOf(undefined, {}, profile) ?? usual;
  const another = `\`sms profiles set only-to FILE${profileOption(profile.name)}\``;
  const guards: Guard[] = [];
  for (const [value, name, way, home] of [
    [options.onlyTo, "--only-to", "or add it to that list", country],
    [ofEnvironment, "SMS_ONLY_TO", "add it to that list, or unset SMS_ONLY_TO", usual],
    [
      profile.defaults.onlyTo,
      "the only-to of the profile",
      `add it to that list, or give another: ${another}`,
      ofProfile,
    ],
  ] as const) {
    if (value === undefined) continue;
    guards.push(onlyTo(await readOnlyTo(value, name, home, host), `leave it out of the recipients, ${way}`));
  }
  return guards;
}

export async function openExcluded(exclude: string, { profile, shared, context }: GuardInput): Promise<Guard> {
  const [, run] = /^run:(.*)$/.exec(exclude) ?? [];
  const { host } = context;
  if (run !== undefined) return withoutRun(run, profile, host);
  const { source, numbers, texts, warnings } = await readFile("--exclude", exclude, shared.country, host, true);
  const rule = [`without the numbers of ${source}`, ...texts].join(": ");
  return { ...excluded(numbers, rule, `in ${basename(exclude)}`), warnings };
}

/** Throws `UNKNOWN_RUN`, which names the run with the nearest name. */
async function withoutRun(name: string, profile: GuardInput["profile"], host: Host): Promise<Guard> {
  const runs = await (await requireRecord(host, "runs", profile)).runs();
  const run = await runs.read(name);
  if (run === undefined) throw await unknownAmong(runs, name, "run:");
  const owner = await runs.owner(name);
  if (owner !== undefined)
    throw usageError(
      "RUN_BUSY",
      `${owner.process} works on run ${name}, so its recipients are not all known yet`,
      "wait until it ends",
    );
  // A rehearsal texted one number instead of the people of its rows.
  if (run.header.isRehearsal) return { rule: `without nobody: run ${name} is a rehearsal` };
  const numbers = await reachedBy(run);
  const { mode } = run.header.binding;
  const place = `accepted or uncertain in run ${name}`;
  const simulated = isLive(mode) ? "" : ` (${mode}: no phone had it)`;
  const { due } = (await run.readTimes()).ledger.tally();
  // If somebody resumes the run, these people get a second text.
  const rest = due === 0 ? "" : `, which has ${countText(due)} left to send`;
  const rule = `without the ${plural(numbers.size, "number")} ${place}${simulated}${rest}`;
  return excluded(numbers, rule, place);
}

interface ListedNumbers {
  readonly source: string;
  readonly numbers: NumberSet;
  /** They say how the list was read. */
  readonly texts: readonly string[];
  readonly warnings: readonly string[];
}

/** Throws a usage error, which names `name`, if the list cannot be read or is empty. */
export async function readOnlyTo(
  value: string,
  name: string,
  country: Country | undefined,
  host: Host,
): Promise<ListedNumbers> {
  if (!isNumbers(value)) return readFile(name, value, country, host);
  const facts = new ListFacts();
  const rows = withoutComments(
    value.split(",").map((to, index) => typedRow(to.trim(), index + 1)),
    facts,
  );
  const filled = rows.filter(({ to }) => to !== "");
  const unassigned = new UnassignedNumbers();
  const numbers = await explainedBy(byCommas, readNumberList(name, filled, country, { unassigned }));
  if (numbers.size === 0) throw onlyComments(name);
  return { source: name, numbers, texts: [], warnings: warningsOf(name, facts, unassigned) };
}

function byCommas(hint: string): string {
  return hint.replace(/^give each by itself.*$/, (all) =>
    all.replace("give each by itself", "separate them by commas").replaceAll(" and ", ","),
  );
}

async function readFile(
  name: string,
  path: string,
  country: Country | undefined,
  host: Host,
  everyNumber = false,
): Promise<ListedNumbers> {
  if (path === "-")
    throw usageError("AMBIGUOUS_INPUT", `${name} does not read standard input`, "give the numbers in a file");
  const list = openSource(path, host, name);
  const facts = new ListFacts();
  const clean = { file: list.name, country, everyNumber, output: "NEW.csv" };
  const unassigned = new UnassignedNumbers();
  const rows = readRecipients(list, { everyNumber, country, facts, mend: mendedBy(clean) });
  const numbers = await readNumberList(list.name, rows, country, { clean, everyNumber, unassigned });
  const source = `${name} (${path})`;
  const texts = listTexts(facts, everyNumber ? "read too" : "left out");
  return { source, numbers, texts, warnings: warningsOf(source, facts, unassigned) };
}

function warningsOf(source: string, facts: ListFacts, unassigned: UnassignedNumbers): readonly string[] {
  return [
    ...commentedTexts(facts).map((text) => `${source} passes over ${text}`),
    ...unassigned.texts().map((text) => `${source}: ${text}`),
  ];
}

/** A number may be behind a #. */
export function isNumbers(value: string): boolean {
  return /^#?\s*[+\d][\d\s+#().,-]*$/.test(value);
}

function onlyTo({ source, numbers, texts, warnings }: ListedNumbers, hint: string): Guard {
  return {
    rule: [`only to the ${plural(numbers.size, "number")} of ${source}`, ...texts].join(": "),
    warnings,
    hold: (number) =>
      numbers.has(number)
        ? undefined
        : {
            effect: "fault",
            sentence: `+${number} is not in ${source}`,
            errorCode: "NOT_ONLY_TO",
            hint,
          },
  };
}

/** `place` says where the numbers are, such as `in staff.csv`. */
function excluded(numbers: NumberSet, rule: string, place: string): Guard {
  const leftOutCause = { reason: "excluded", details: place } as const;
  return {
    rule,
    hold: (number) =>
      numbers.has(number)
        ? {
            effect: "leave-out",
            leftOutCause,
            sentence: leftOutSentence({ ...leftOutCause, to: `+${number}` }),
            errorCode: "INVALID_RECIPIENTS",
            hint: "leave --exclude out to send to it",
          }
        : undefined,
  };
}
