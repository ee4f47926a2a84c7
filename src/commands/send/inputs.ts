import { checkMessage } from "../../core/message.ts";
import { toGsm7 } from "../../core/look-alikes.ts";
import { type Country, readCountry } from "../../core/number.ts";
import type { Sender } from "../../core/sender.ts";
import { parseTemplate } from "../../core/template.ts";
import type { DraftMessage } from "../../runs/plan.ts";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { Defaults } from "../../profiles/stored.ts";
import { type CheckedRow, recipientCheck } from "../../recipients/check.ts";
import { readExclusions } from "../../recipients/exclusions.ts";
import { Faults } from "../../recipients/faults.ts";
import { readRecipients } from "../../recipients/read.ts";
import type { Row, RowFault } from "../../recipients/row.ts";
import { openSource } from "../../recipients/source.ts";
import { readText } from "../shared/input.ts";
import { newNotes, noteFields, noteReplaced, type RunNotes } from "./notes.ts";
import type { SendFlags } from "./definition.ts";
import { readSender } from "./request.ts";

/** The recipients of a run, read, rendered and checked. */
export interface RunInputs {
  /** To be read once. Throws a usage error that lists all faults once the last row is read. */
  readonly drafts: AsyncIterable<DraftMessage>;
  /** Filled while the drafts are read. */
  readonly notes: RunNotes;
}

/** As many of those left out are named. */
const mostNamed = 20;

/** Opens what flags name as recipients and text. Throws a usage error where either is missing or cannot be. */
export async function openRunInputs(flags: SendFlags, defaults: Defaults, host: Host): Promise<RunInputs> {
  if (flags.exclude === "-") {
    throw usageError(
      "AMBIGUOUS_INPUT",
      "--exclude does not read standard input",
      "give those who opted out in a file",
    );
  }
  const country = readRunCountry(flags, defaults);
  const sender = readSender(flags, defaults);
  const text = await readRunText(flags, host);
  const exclusions =
    flags.exclude === undefined ? undefined : await readExclusions(openSource(flags.exclude, host), country);
  const template = text === undefined ? undefined : parseTemplate(text);
  const notes = newNotes(template);
  const check = recipientCheck({
    template,
    country,
    rewrite: flags.gsm7 ? (original) => replaceNoted(original, notes) : undefined,
    exclusions,
    skipInvalid: flags.skipInvalid,
    allowDuplicates: flags.allowDuplicates,
  });
  const name = flags.recipients === "-" ? "standard input" : (flags.recipients ?? "the recipients");
  return { drafts: draftsOf(rowsOf(flags, host), check, sender, name, notes), notes };
}

async function* rowsOf(flags: SendFlags, host: Host): AsyncGenerator<Row | RowFault> {
  for (const [index, to] of (flags.to ?? []).entries())
    yield { kind: "row", line: index + 1, to, fields: {} };
  if (flags.recipients === undefined) return;
  const { format, toColumn } = flags;
  yield* readRecipients(openSource(flags.recipients, host), { format, toColumn });
}

async function* draftsOf(
  rows: AsyncIterable<Row | RowFault>,
  check: (row: Row | RowFault) => CheckedRow,
  sender: Sender | undefined,
  name: string,
  notes: RunNotes,
): AsyncGenerator<DraftMessage> {
  const faults = new Faults();
  let count = 0;
  for await (const row of rows) {
    if (row.kind === "row") noteFields(notes, row);
    const checked = check(row);
    switch (checked.kind) {
      case "fault":
        faults.add(checked);
        break;
      case "skipped":
        notes.skipped[checked.because]++;
        if (notes.firstSkipped.length < mostNamed) {
          notes.firstSkipped.push(`line ${checked.line}: ${checked.reason}`);
        }
        break;
      case "recipient": {
        const { line, to, text, segments } = checked;
        const from = checked.sender ?? sender;
        if (!checked.assigned) notes.unassigned++;
        count++;
        // Of a run that is refused nothing more is kept.
        if (faults.count === 0)
          yield { line, to, text, segments, ...(from !== undefined && { sender: from }) };
      }
    }
  }
  if (faults.count > 0) throw faults.toUsageError(name);
  if (count === 0)
    throw usageError("NO_RECIPIENT", `${name} leaves nobody to send to`, "see what was left out");
}

function readRunCountry(flags: SendFlags, defaults: Defaults): Country | undefined {
  const named = flags.country ?? defaults.country;
  return named === undefined ? undefined : readCountry(named);
}

/** The text of all rows; undefined where rows may bring their own and standard input is taken or nobody gave any. */
async function readRunText(flags: SendFlags, host: Host): Promise<string | undefined> {
  const isGiven = flags.message !== undefined || flags.messageFile !== undefined;
  const wantsInput = flags.message === "-" || flags.messageFile === "-";
  if (wantsInput && flags.recipients === "-") {
    throw usageError(
      "AMBIGUOUS_INPUT",
      "standard input is named for the recipients and for the text",
      "give one of them in a file",
    );
  }
  const mayBeOwn = flags.recipients !== undefined;
  if (!isGiven && (flags.recipients === "-" || (mayBeOwn && host.stdin.isTerminal()))) return undefined;
  const text = await readText(flags, host);
  if (!isGiven && mayBeOwn && text === "") return undefined;
  if (text === "") checkMessage(text);
  return text;
}

function replaceNoted(text: string, notes: RunNotes): string {
  const { text: replacedText, replaced } = toGsm7(text);
  noteReplaced(notes, replaced);
  return replacedText;
}
