import type { AtMost, WatchOptions } from "../options.ts";
import { once, setMaxListeners } from "node:events";
import { countSegments } from "../../message/segments.ts";
import type { Outcome } from "../../message/outcome.ts";
import { type EndingKind, endingOf, SmsError } from "../../errors.ts";
import { plural } from "../../words/count.ts";
import { isOfAccount } from "../../record/ledger.ts";
import { gather, type Instant, type Notice, type Result } from "./gatherer.ts";
import { lineReader } from "./lines.ts";
import { textOf } from "./wording.ts";
import type { Host } from "../../host.ts";
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
  const context = await contextFor(
    {
      ...host,
      stdin: { ...host.stdin, chunks: () => host.stdin.chunks(halt.signal) },
      readFile: (path) => host.readFile(path, halt.signal),
      interruption: () => ({ stop: halt.signal, leave }),
    },
    given.redactor,
    options,
  );
  const texts = await openTexts(options, { ...context, presenter: quietly(context) });
  try {
    const opened = await openWatch(texts, options, context);
    return await opened.run(stop);
  } finally {
    await texts.close();
  }
}

/** One line says what is waited for, whatever is sent meanwhile. */
function quietly({ presenter }: Context): Context["presenter"] {
  return { ...presenter, showsWaits: false, waitFor: (_, work) => work() };
}

/** Says what a watch may send, and opens the count of what it sends. */
async function openWatch(texts: Texts, options: WatchOptions, { host, presenter }: Context): Promise<Watch> {
  const { recipients, isOpen, payment, source } = texts;
  const { group, atMost, quietAfter, dryRun } = options;
  const who = recipients.length === 1 ? recipients[0] : `${plural(recipients.length, "recipient")} each`;
  presenter.note(`At most ${atMost.words} to ${who}; ${payment} (from ${source})`);
  const at = { now: host.now(), wall: host.wallClock() };
  const toldBefore = dryRun ? [] : await readTold(texts, atMost, at, presenter);
  const gatherer = gather({ recipients: recipients.length, group, atMost, quietAfter, isOpen, toldBefore });
  return new Watch({ texts, options, gatherer }, { host, presenter });
}

interface WatchParts {
  readonly texts: Texts;
  readonly options: WatchOptions;
  readonly gatherer: ReturnType<typeof gather>;
}

/** Reads lines and sends the texts that tell of them, until no more lines come and all of them are told. */
class Watch {
  readonly #parts: WatchParts;
  readonly #host: Host;
  readonly #presenter: Context["presenter"];
  readonly #halt: AbortSignal;
  readonly #flights = new Set<Promise<void>>();
  readonly #count = { lines: 0, texts: 0, uncertain: 0, refused: 0 };
  /** The failure of each recipient that was said last. */
  readonly #said = new Map<string, string>();
  readonly #ended = new AbortController();
  /** Aborted by the first fault in sms itself; what is in flight goes on. */
  readonly #broken = new AbortController();
  #fault: unknown;
  /** Whether no more lines come, so that what fails is not tried again. */
  #isLast = false;
  #nextAt = Infinity;
  #wake = new AbortController();

  constructor(parts: WatchParts, { host, presenter }: Pick<Context, "host" | "presenter">) {
    this.#parts = parts;
    this.#host = host;
    this.#presenter = presenter;
    this.#halt = host.interruption().stop;
  }

  /** Returns how the watch ends; `stop` is aborted by its first signal. Throws the first fault in sms itself. */
  async run(stop: AbortSignal): Promise<EndingKind> {
    const time = this.#keepTime();
    const shown = { lines: (columns: number) => statusLines(this.#status(), columns) };
    await this.#presenter.waitFor(shown, () => this.#tellAll(stop));
    this.#ended.abort();
    this.#wake.abort();
    await time;
    const { texts, options, gatherer } = this.#parts;
    const untold = texts.recipients.flatMap((to, index) => {
      const left = gatherer.untold(index, this.#at());
      return left === undefined ? [] : [{ to, ...left }];
    });
    // A service manager ends every watch with SIGTERM.
    const signal = this.#halt.aborted ? endingOf(this.#halt) : undefined;
    if (untold.length > 0)
      sayUntold({ untold, kind: signal ?? "incomplete", atMost: options.atMost.words }, this.#presenter);
    if (this.#fault !== undefined) throw this.#fault;
    const { uncertain, refused } = this.#count;
    return signal ?? (untold.length + uncertain + refused > 0 ? "incomplete" : "accepted");
  }

  async #tellAll(stop: AbortSignal): Promise<void> {
    await Promise.race([
      this.#readLines().catch((error: unknown) => isOf(stop, error) || this.#fail(error)),
      once(this.#broken.signal, "abort"),
    ]);
    this.#isLast = true;
    if (!this.#halt.aborted) this.#parts.gatherer.end(this.#at());
    do {
      this.#pump();
      await Promise.all(this.#flights);
    } while (this.#flights.size > 0);
  }

  async #readLines(): Promise<void> {
    const reader = lineReader((line) => {
      this.#count.lines++;
      this.#parts.gatherer.add(line, this.#at());
    });
    try {
      for await (const chunk of this.#host.stdin.chunks()) {
        reader.read(chunk);
        this.#pump();
      }
    } finally {
      reader.end();
    }
  }

  async #keepTime(): Promise<void> {
    while (!this.#ended.signal.aborted && !this.#halt.aborted) {
      this.#wake = new AbortController();
      const at = this.#at();
      this.#nextAt = this.#parts.gatherer.nextAt(at);
      await this.#host.sleep(Math.min(longestPause, Math.max(0, this.#nextAt - at.now)), this.#wake.signal);
      this.#pump();
    }
  }

  /** Begins the texts that go now. */
  #pump(): void {
    if (this.#halt.aborted) return;
    const { gatherer } = this.#parts;
    for (const notice of gatherer.take(this.#at())) {
      const flight = this.#tell(notice)
        .catch((error: unknown) => this.#fail(error))
        .finally(() => {
          this.#flights.delete(flight);
          this.#pump();
        });
      this.#flights.add(flight);
    }
    if (gatherer.nextAt(this.#at()) < this.#nextAt) this.#wake.abort();
  }

  async #tell(notice: Notice): Promise<void> {
    const { texts, options, gatherer } = this.#parts;
    const { recipients, zone, mode } = texts;
    const { segments, atMost, message: words } = options;
    const to = recipients[notice.recipient] ?? "";
    const at = this.#host.wallClock();
    const text = textOf(notice, at, { segments, zone, atMost: atMost.words, words });
    const told = { at, to, text, segments: countSegments(text).segments, notice, zone, mode };
    if (options.dryRun) {
      this.#presenter.show(textView(told, undefined));
      this.#count.texts++;
      return gatherer.settle(notice, "told", this.#at());
    }
    const outcome = await texts.send(to, text);
    this.#settle(notice, to, outcome);
    if (resultOf(outcome) !== "unsent") this.#presenter.show(textView(told, outcome));
  }

  #settle(notice: Notice, to: string, outcome: Outcome): void {
    const result = resultOf(outcome);
    this.#parts.gatherer.settle(notice, result, this.#at());
    if (result === "refused") this.#count.refused++;
    if (outcome.kind === "accepted" || outcome.kind === "uncertain") {
      this.#count.texts++;
      if (outcome.kind === "uncertain") this.#count.uncertain++;
      this.#said.delete(to);
      return;
    }
    const { errorCode } = outcome.failure;
    const isKept = result === "unsent" && !this.#isLast;
    const { source } = this.#parts.texts;
    if (this.#said.get(to) !== errorCode && !this.#halt.aborted)
      sayFailure(outcome, { to, source, isKept }, this.#presenter);
    this.#said.set(to, errorCode);
  }

  #fail(error: unknown): void {
    this.#fault ??= error;
    this.#broken.abort();
  }

  #status() {
    const { texts, options, gatherer } = this.#parts;
    const { now, wall } = this.#at();
    const { next, ...state } = gatherer.state({ now, wall });
    return { ...this.#count, ...state, atMost: options.atMost.words, next: next - now, isOpen: texts.isOpen(wall) };
  }

  #at(): Instant {
    return { now: this.#host.now(), wall: this.#host.wallClock() };
  }
}

/** A refusal of the account would hold for every text, so its lines are kept for when the cause is gone. */
function resultOf(outcome: Outcome): Result {
  if (outcome.kind === "accepted" || outcome.kind === "uncertain") return "told";
  return outcome.kind === "rejected" && !isOfAccount(outcome.failure) ? "refused" : "unsent";
}

/** Returns when earlier watches told each recipient, since a restart must not pass --at-most. By `now`. */
async function readTold(
  texts: Texts,
  { texts: most, time, words }: AtMost,
  { now, wall }: Instant,
  { trace }: Context["presenter"],
): Promise<readonly (readonly number[])[]> {
  try {
    const told = await texts.toldSince(wall - time);
    if (told === undefined) trace("Warning: no history is kept, so a restart forgets what --at-most has counted");
    // What is in the future was told before the clock was set back.
    return (told ?? []).map((times) => times.map((at) => now - Math.max(0, wall - at)));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    trace(
      `Warning: the history cannot be read and written (${cause}), so --at-most ${words} counts as used up now: lines are gathered`,
    );
    return texts.recipients.map(() => Array<number>(most).fill(now));
  }
}

/** Whether an error only says that a signal came. */
function isOf(stop: AbortSignal, error: unknown): boolean {
  return stop.aborted && error instanceof SmsError && error.errorCode === "INTERRUPTED";
}
