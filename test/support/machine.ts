import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { type Host, type Output, systemHost } from "../../src/host.ts";
import { main } from "../../src/main.ts";
import { requireCommandsThatParse, requireOptionsThatAre } from "./hints.ts";

/** The machine that a command runs on; by default no terminal, and an empty stdin. */
export interface Machine {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly isTerminal?: boolean;
  readonly hasColor?: boolean;
  readonly columns?: number;
  /** One time or a clock, as `Date.now` has them. */
  readonly now?: number | (() => number);
  /** Gets what is asked at a terminal, where a person answers every prompt with Ctrl-C. */
  readonly onPrompt?: (text: string) => void;
  readonly isStopped?: boolean;
  /** Africa/Nairobi, if absent. */
  readonly zone?: string;
  /** As `now`. */
  readonly clock?: number | (() => number);
  readonly sleep?: Host["sleep"];
  readonly hasNoZone?: boolean;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `sms` in this process, by the same `main` as the program. Throws if it would refuse what a hint names. */
export async function sms(args: readonly string[], machine: Machine = {}, run = main): Promise<Ended> {
  const stdout = memory(machine);
  const stderr = memory(machine);
  const stop = new AbortController();
  let slept = 0;
  if (machine.isStopped) stop.abort("SIGTERM");
  const output = new PassThrough().on("data", (chunk: Buffer) => {
    machine.onPrompt?.(chunk.toString());
    stop.abort("SIGINT");
  });
  const leave = new AbortController().signal;
  const system = systemHost();
  const host: Host = {
    ...system,
    stdin: {
      isTerminal: () => machine.isTerminal ?? false,
      isPipe: () => machine.stdin !== undefined,
      chunks: () => once(machine.stdin ?? ""),
    },
    stdout: stdout.output,
    stderr: stderr.output,
    terminal: () => (machine.onPrompt ? { input: new PassThrough(), output, discardTyped: async () => {} } : undefined),
    environment: {
      SMS_CONFIG_DIR: "/nonexistent/sms",
      SMS_STATE_DIR: "/dev/null/sms",
      // A history that cannot be written is warned of.
      SMS_HISTORY: machine.environment?.["SMS_STATE_DIR"] === undefined ? "off" : "on",
      ...machine.environment,
    },
    home: () => "/nonexistent",
    processes: { pid: process.pid, exists: () => true },
    beforeSignal: () => () => {},
    // A clock that stood still in a pause would never come to the next turn.
    now: () => (typeof machine.now === "number" ? machine.now + slept : (machine.now ?? Date.now)()),
    wallClock: () => (typeof machine.clock === "number" ? machine.clock + slept : (machine.clock ?? Date.now)()),
    timeZone: () => (machine.hasNoZone ? undefined : (machine.zone ?? "Africa/Nairobi")),
    sleep:
      machine.sleep ??
      ((ms, signal) =>
        setTimeout(ms, undefined, { signal }).then(
          () => void (slept += Math.ceil(ms)),
          () => {},
        )),
    readFile: (path, until = stop.signal) => system.readFile(path, until),
    interruption: () => ({ stop: stop.signal, leave }),
    divertSignals: () => () => {},
    outliveReader: () => {},
    departure: new Promise(() => {}),
    limitLookups: () => {},
  };
  const code = await run(args, host);
  await requireCommandsThatParse(`${stdout.text()}\n${stderr.text()}`);
  await requireOptionsThatAre(args, stderr.text());
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function memory({ hasColor = false, isTerminal = false, columns = 80 }: Machine): {
  output: Output;
  text: () => string;
} {
  let written = "";
  return {
    output: {
      hasColor: () => hasColor,
      isTerminal: () => isTerminal,
      columns: () => columns,
      write: (text) => {
        written += text;
      },
      flush: () => Promise.resolve(),
      failure: () => undefined,
    },
    text: () => written,
  };
}

async function* once(content: NonNullable<Machine["stdin"]>): AsyncGenerator<Uint8Array> {
  if (typeof content === "string") yield new TextEncoder().encode(content);
  else if (content instanceof Uint8Array) yield content;
  else yield* content;
}
