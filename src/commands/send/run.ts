import { numberKey } from "../../message/number-set.ts";
import { type EndingKind, usageError } from "../../errors.ts";
import { type Guard, holdOf } from "../../guards/guard.ts";
import { redirected, type RehearsalCount } from "../../guards/rehearsal.ts";
import { countText, plural, readingText } from "../../output/text.ts";
import { chooseProfile } from "../../profiles/resolve.ts";
import { type FindCountry, readRecipient } from "../../recipients/check.ts";
import { refuseHeld } from "../../recipients/message.ts";
import { prepareMessages } from "../../recipients/messages.ts";
import type { RunDestination } from "../../record/header.ts";
import type { DraftMessage } from "../../record/plan.ts";
import { planRun, previewRun } from "../../runs/planning.ts";
import { removeRehearsal } from "../../record/folder/runs.ts";
import { newRunName, runFiles, watchedFiles } from "../../record/folder/run-files.ts";
import type { Context } from "../shared/context.ts";
import { openGuards, readingLists } from "../shared/guards.ts";
import { keepInHistory } from "../shared/history.ts";
import { sendDefaults, stateOf } from "../shared/profile.ts";
import { confirmAndSend, showPlan } from "../runs/sending.ts";
import type { SendFlags, SendOptions } from "./flags.ts";
import { leftOutCounts, readMessagesRequest, warningTexts } from "./request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws if it cannot begin. */
export async function sendRun(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(host, options.profile);
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const state = stateOf(host);
  const isRehearsal = options.redirectTo !== undefined;
  const name = isRehearsal ? rehearsalName(options.run) : options.run;
  const ownFiles = runFiles(state, name ?? newRunName(host.now(), host.random()));
  // A run of that name is read before the rows.
  const { files, share } = watchedFiles(ownFiles, { plans: 1, journals: 1 });
  // A sandbox texts nobody: there it may be tried again and again.
  const searched = name === undefined && !options.sandbox ? state : undefined;
  const rows = await readMessagesRequest(options, defaults, context);
  const guards = await presenter.waitFor(readingLists, () => openGuards(options, chosen, rows.country, true, host));
  const rehearsal = isRehearsal ? openRehearsal(options, rows.country, guards) : undefined;
  const prepared = prepareMessages({ ...rows, guards: rehearsal ? [rehearsal.guard] : guards });
  const { notes } = prepared;
  const messages = rehearsal?.redirect(prepared.messages) ?? prepared.messages;
  const source = rows.source?.name;
  const isTyped = options.recipients === "-" && host.stdin.isTerminal();
  const { first: _, ...ofRehearsal } = options;
  const command = {
    options: isRehearsal ? ofRehearsal : options,
    chosen,
    planning: isTyped
      ? undefined
      : () =>
          notes.rows === 0 && share() > 0
            ? readingText({ name: `run ${name}`, share })
            : readingText(rows.source ?? { name: "the recipients" }, notes.rows),
    notes: () => ({
      leftOut: leftOutCounts(notes),
      firstLeftOut: notes.firstSkipped,
      warnings: warningTexts(notes),
    }),
    guards,
    rehearsal: rehearsal?.text,
  };
  const request = (destination: RunDestination) => ({ files, source, messages, destination, guards, searched });
  if (options.dryRun) {
    return showPlan(command, name, context, (destination) => previewRun(request(destination), isRehearsal, host.now()));
  }
  return confirmAndSend(command, context, async (destination, consent) => {
    if (isRehearsal) await removeRehearsal(files, host.processes, () => keepInHistory(files, context));
    return planRun(request(destination), host, consent);
  });
}

/** A run whose first messages go to one number. */
interface Rehearsal {
  /** The guard of the real recipients; those that the run would refuse are only counted. */
  readonly guard: Guard;
  readonly redirect: (messages: AsyncIterable<DraftMessage>) => AsyncIterable<DraftMessage>;
  /** Returns what is sent instead, in words, once the messages are read. */
  readonly text: () => string;
}

/** Messages of a rehearsal, by default. */
const defaultMost = 3;

/** Opens the rehearsal of `--redirect-to`. Throws a usage error if nothing may be sent to that number. */
function openRehearsal(
  { redirectTo = "", first: most = defaultMost, gsm7 }: SendFlags,
  country: FindCountry | undefined,
  guards: readonly Guard[],
): Rehearsal {
  const number = readRecipient({ to: redirectTo, isTyped: true }, country);
  if (number.kind === "refused") {
    throw usageError(
      "INVALID_NUMBER",
      `--redirect-to ${JSON.stringify(redirectTo)} cannot be read: ${number.reason}`,
      number.hint,
    );
  }
  const { e164: to, assigned } = number;
  refuseHeld(holdOf(guards, numberKey(to)));
  const count: RehearsalCount = { messages: 0, all: 0, added: 0 };
  let refused = 0;
  return {
    guard: {
      hold: (key) => {
        const [first, ...others] = guards.flatMap(({ hold }) => hold?.(key) ?? []);
        if (first?.effect !== "refuse") return first;
        refused++;
        return others.find(({ effect }) => effect !== "refuse");
      },
    },
    redirect: (messages) => redirected(messages, { to, most, gsm7: gsm7 === true }, count),
    text: () => {
      const warning = assigned ? "" : " (in no range of numbers known to be in use)";
      const messages = `${countText(count.messages)} of ${plural(count.all, "message")}`;
      const what = `--redirect-to: ${messages} to ${to}${warning} instead`;
      const segments = count.added === 0 ? "no segment" : plural(count.added, "segment");
      const added = `naming the recipient in front adds ${segments}`;
      const refusal = refused === 0 ? "" : `; the run itself would be refused for ${plural(refused, "recipient")}`;
      return `${what}, and ${added}${refusal}`;
    },
  };
}

/** Returns the name under which a rehearsal is recorded. */
function rehearsalName(run: string | undefined): string {
  return run === undefined ? "rehearsal" : `${run}-rehearsal`;
}
