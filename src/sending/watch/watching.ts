import type { WatchOptions } from "../options.ts";
import { once, setMaxListeners } from "node:events";
import { countSegments } from "../../message/segments.ts";
import type { Outcome } from "../../message/outcome.ts";
import { type EndingKind, endingOf, SmsError } from "../../errors.ts";
import { plural } from "../../words/count.ts";
import { isOfAccount } from "../../record/ledger.ts";
import { gather, type Instant, type Notice, type Result } from "./gatherer.ts";
import { lineReader } from "./lines.ts";
import { textOf } from "./wording.ts";
import { type Context, contextFor } from "../../terminal/context.ts";
import { openTexts, type Texts } from "./texts.ts";
import { statusLines, sayFailure, sayUntold, textView } from "./views.ts";

/** The longest pause between two looks at the clock: a timer takes no longer one. Milliseconds. */
const longestPause = 3_600_000;

/** Sends few texts about what comes, until the input ends or a signal. Throws if nothing could be sent. */
export async function watch(options: WatchOptions, given: Context): Promise<EndingKind> {
  const { host } = given;
  host.outliveReader();
  const { stop, leave } = host.interruption();
  // What is gathered is sent after SIGTERM, too.
  const halt = new AbortController();
  // Each text in flight listens to both.
  setMaxListeners(Infinity, halt.signal, leave);
  const onStop = () => stop.reason === "SIGTERM" || halt.abort(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  leave.addEventListener("abort", () => halt.abort(stop.reason), { once: true });
  const interruption = () => ({ stop: halt.signal, leave });
  const context = await contextFor({ ...host, interruption }, given.redactor, options);
  const texts = await openTexts(options, { ...context, presenter: quietly(context) });
  try {
    return await tellOf({ texts, options }, context, stop);
  } finally {
    await texts.close();
  }
}

/** One line says what is waited for, whatever is sent meanwhile. */
function quietly({ presenter }: Context): Context["presenter"] {
  return { ...presenter, showsWaits: false, waitFor: (_, work) => work() };
}

async function tellOf(
  { texts, options }: { readonly texts: Texts; readonly options: WatchOptions },
  context: Context,
  stop: AbortSignal,
): Promise<EndingKind> {
  const { host, presenter } = context;
  const { stop: halt } = host.interruption();
  const { recipients, zone, mode, isOpen, payment, source } = texts;
  const { group, atMost, quietAfter, segments } = options;
  const wording = { segments, zone, atMost: atMost.words, words: options.message };
  const who = recipients.length === 1 ? recipients[0] : `${plural(recipients.length, "recipient")} each`;
  presenter.note(`At most ${atMost.words} to ${who}; ${payment} (from ${source})`);
  const at = (): Instant => ({ now: host.now(), wall: host.wallClock() });
  const toldBefore = options.dryRun ? [] : await readTold({ texts, time: atMost.time }, at(), presenter);
  const gatherer = gather({ recipients: recipients.length, group, atMost, quietAfter, isOpen, toldBefore });
  const flights = new Set<Promise<void>>();
  const count = { lines: 0, texts: 0, uncertain: 0, refused: 0 };
  /** The failure of each recipient that was said last. */
  const said = new Map<string, string>();
  /** Whether no more lines come, so that what fails is not tried again. */
  let isLast = false;
  let nextAt = Infinity;
  let wake = new AbortController();
  const ended = new AbortController();
  /** The first fault in sms itself; what is in flight goes on. */
  let fault: unknown;
  const broken = new AbortController();
  const fail = (error: unknown) => {
    fault ??= error;
    broken.abort();
  };

  const add = (line: string) => {
    count.lines++;
    gatherer.add(line, at());
  };
  const settle = (notice: Notice, to: string, outcome: Outcome) => {
    const result = resultOf(outcome);
    gatherer.settle(notice, result, at());
    if (result === "refused") count.refused++;
    if (outcome.kind === "accepted" || outcome.kind === "uncertain") {
      count.texts++;
      if (outcome.kind === "uncertain") count.uncertain++;
      said.delete(to);
      return;
    }
    const { errorCode } = outcome.failure;
    const isKept = result === "unsent" && !isLast;
    if (said.get(to) !== errorCode && !halt.aborted) sayFailure(outcome, { to, source, isKept }, presenter);
    said.set(to, errorCode);
  };
  const tell = async (notice: Notice): Promise<void> => {
    const to = recipients[notice.recipient] ?? "";
    const began = host.wallClock();
    const text = textOf(notice, began, wording);
    const told = { at: began, to, text, segments: countSegments(text).segments, notice, zone, mode };
    if (options.dryRun) {
      presenter.show(textView(told, undefined));
      count.texts++;
      return gatherer.settle(notice, "told", at());
    }
    const outcome = await texts.send(to, text);
    settle(notice, to, outcome);
    if (resultOf(outcome) !== "unsent") presenter.show(textView(told, outcome));
  };
  const pump = () => {
    if (halt.aborted) return;
    for (const notice of gatherer.take(at())) {
      const flight = tell(notice)
        .catch(fail)
        .finally(() => {
          flights.delete(flight);
          pump();
        });
      flights.add(flight);
    }
    if (gatherer.nextAt(at()) < nextAt) wake.abort();
  };
  const keepTime = async () => {
    while (!ended.signal.aborted && !halt.aborted) {
      wake = new AbortController();
      const { now, wall } = at();
      nextAt = gatherer.nextAt({ now, wall });
      await host.sleep(Math.min(longestPause, Math.max(0, nextAt - now)), wake.signal);
      pump();
    }
  };
  const readLines = async () => {
    const reader = lineReader(add);
    try {
      for await (const chunk of host.stdin.chunks()) {
        reader.read(chunk);
        pump();
      }
    } finally {
      reader.end();
    }
  };

  const time = keepTime();
  const status = () => {
    const { kinds, room, next } = gatherer.state(at());
    return { ...count, kinds, room, atMost: atMost.words, next: next - host.now(), isOpen: isOpen(host.wallClock()) };
  };
  await presenter.waitFor({ lines: (columns) => statusLines(status(), columns) }, async () => {
    await Promise.race([
      readLines().catch((error: unknown) => isOf(stop, error) || fail(error)),
      once(broken.signal, "abort"),
    ]);
    isLast = true;
    if (!halt.aborted) gatherer.end(at());
    do {
      pump();
      await Promise.all(flights);
    } while (flights.size > 0);
  });
  ended.abort();
  wake.abort();
  await time;
  const untold = recipients.flatMap((to, index) => {
    const left = gatherer.untold(index, at());
    return left === undefined ? [] : [{ to, ...left }];
  });
  // A service manager ends every watch with SIGTERM.
  const signal = halt.aborted ? endingOf(halt) : undefined;
  if (untold.length > 0) sayUntold({ untold, kind: signal ?? "incomplete", atMost: atMost.words }, presenter);
  if (fault !== undefined) throw fault;
  return signal ?? (untold.length > 0 || count.uncertain > 0 || count.refused > 0 ? "incomplete" : "accepted");
}

/** A refusal of the account would hold for every text, so its lines are kept for when the cause is gone. */
function resultOf(outcome: Outcome): Result {
  if (outcome.kind === "accepted" || outcome.kind === "uncertain") return "told";
  return outcome.kind === "rejected" && !isOfAccount(outcome.failure) ? "refused" : "unsent";
}

/** Returns when earlier watches told each recipient, since a restart must not pass --at-most. By `now`. */
async function readTold(
  { texts, time }: { readonly texts: Texts; readonly time: number },
  { now, wall }: Instant,
  { trace }: Context["presenter"],
): Promise<readonly (readonly number[])[]> {
  const told = await texts.toldSince(wall - time);
  if (told === undefined) trace("Warning: no history is kept, so a restart forgets what --at-most has counted");
  // What is in the future was told before the clock was set back.
  return (told ?? []).map((times) => times.map((one) => now - Math.max(0, wall - one)));
}

/** Whether an error only says that a signal came. */
function isOf(stop: AbortSignal, error: unknown): boolean {
  return stop.aborted && error instanceof SmsError && error.errorCode === "INTERRUPTED";
}
