import type { WatchOptions } from "../options.ts";
import { once, setMaxListeners } from "node:events";
import { type EndingKind, endingOf, SmsError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import type { Context } from "../../terminal/context.ts";
import { contextFor } from "../../terminal/presenter.ts";
import { patientTerminal } from "../../terminal/patient.ts";
import { modeText, paragraph } from "../../terminal/text.ts";
import { countText, plural } from "../../words/count.ts";
import { newGatherer, type Gatherer } from "./gatherer.ts";
import { lineOf, lineReader } from "./lines.ts";
import { type Notices, openNotices } from "./notices.ts";
import { sayRemainders } from "./views.ts";

/** A timer takes no longer pause. */
const longestPauseMs = 3_600_000;

/** Throws if nothing could be sent. */
export async function watch(options: WatchOptions, { host, redactor }: Context): Promise<EndingKind> {
  host.outliveReader(patientTerminal);
  const { stop, leave } = host.interruption();
  const halt = allButTerm(stop, leave);
  const watching: Host = {
    ...host,
    stdin: { ...host.stdin, chunks: () => host.stdin.chunks(halt) },
    readFile: (path) => host.readFile(path, halt),
    interruption: () => ({ stop: halt, leave }),
  };
  const context = await contextFor(watching, redactor, options);
  const notices = await openNotices(options, context);
  try {
    const { recipients, destination, holdAll } = notices;
    const who = recipients.length === 1 ? recipients[0] : `${plural(recipients.length, "recipient")} each`;
    const payment =
      destination.kind === "service"
        ? `${modeText(destination)} (from ${credentialsSource(destination)})`
        : "mode and key are not known (not logged in)";
    context.presenter.note(`At most ${options.atMost.words} to ${who}; ${payment}`);
    const earlierTimes = options.dryRun ? undefined : await notices.earlierTimes();
    const gatherers = new Map(
      recipients.map((to) => [to, newGatherer({ ...options, holdAll, earlierTimes: earlierTimes?.get(to) }, host)]),
    );
    return await tellLines(gatherers, notices, context);
  } finally {
    await notices.close();
  }
}

/** After a first SIGTERM, what is at hand is still read and sent. */
function allButTerm(stop: AbortSignal, leave: AbortSignal): AbortSignal {
  const halt = new AbortController();
  // Each notice in flight listens to both.
  setMaxListeners(Infinity, halt.signal, leave);
  const onStop = () => stop.reason === "SIGTERM" || halt.abort(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  leave.addEventListener("abort", () => halt.abort(stop.reason), { once: true });
  return halt.signal;
}

/** Throws the first fault in sms itself, once all notices in flight have ended. */
async function tellLines(
  gatherers: ReadonlyMap<string, Gatherer>,
  { sendNotice, count, holdAll }: Notices,
  { host, presenter }: Context,
): Promise<EndingKind> {
  const { stop: halt } = host.interruption();
  const all = [...gatherers.values()];
  const flights = new Set<Promise<void>>();
  const broken = new AbortController();
  let alarm = new AbortController();
  let lines = 0;

  const sendDue = () => {
    if (halt.aborted) return;
    for (const [to, { nextNotice, finish }] of gatherers) {
      const notice = nextNotice();
      if (notice === undefined) continue;
      const flight = sendNotice(to, notice)
        .then((result) => finish(notice, result))
        .catch((error: unknown) => broken.abort(error))
        .finally(() => {
          flights.delete(flight);
          sendDue();
        });
      flights.add(flight);
    }
    alarm.abort();
    alarm = new AbortController();
    const { signal } = alarm;
    const pauseMs = Math.min(...all.map(({ nextAt }) => nextAt())) - host.now();
    void host.sleep(Math.min(longestPauseMs, Math.max(0, pauseMs)), signal).then(() => signal.aborted || sendDue());
  };
  const readLines = async () => {
    const reader = lineReader((text) => {
      lines++;
      const line = lineOf(text);
      for (const { add } of all) add(line);
    });
    try {
      for await (const chunk of host.stdin.chunks()) {
        reader.read(chunk);
        sendDue();
      }
    } catch (error) {
      if (!(error instanceof SmsError && error.errorCode === "INTERRUPTED")) broken.abort(error);
    } finally {
      reader.end();
    }
  };
  const tellAll = async () => {
    await Promise.race([readLines(), once(broken.signal, "abort")]);
    if (!halt.aborted) for (const { end } of all) end();
    do {
      sendDue();
      await Promise.all(flights);
    } while (flights.size > 0);
    alarm.abort();
  };
  const status = (columns: number) => {
    const nextMs = Math.min(...all.map(({ nextNoticeAt }) => nextNoticeAt())) - host.now();
    const next = nextMs === Infinity ? [] : [`next text in ${countText(Math.max(0, Math.ceil(nextMs / 1000)))} s`];
    const hold = holdAll(host.wallClock());
    const parts = [plural(lines, "line"), `${plural(count.notices, "text")} sent`, ...(hold ? [hold.brief] : next)];
    return paragraph(parts.join(", "), { columns, column: 0, indent: 0 }).split("\n");
  };
  await presenter.waitFor({ lines: status }, tellAll);
  const remainders = [...gatherers]
    .map(([to, { remainder }]) => ({ to, ...remainder() }))
    .filter(({ batch }) => batch.lines > 0);
  // A service manager ends every watch with SIGTERM.
  const signal = halt.aborted ? endingOf(halt) : undefined;
  if (remainders.length > 0) sayRemainders(remainders, signal ?? "incomplete", presenter);
  if (broken.signal.aborted) throw broken.signal.reason;
  return signal ?? (remainders.length + count.notAccepted > 0 ? "incomplete" : "accepted");
}
