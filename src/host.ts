import { once as eventOf } from "node:events";
import { constants, createReadStream, fstatSync, openSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { interruptionError, usageError } from "./errors.ts";

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly discardTyped: () => Promise<void>;
}

type OpenTerminal = (fd: number) => Writable | undefined;

type Variables = Readonly<Record<string, string | undefined>>;

export type Host = Readonly<ReturnType<typeof systemHost>>;

/** Files and databases need no person: only the clocks, chance and processes of the machine, and who uses it. */
export type Machine = Pick<
  Host,
  "environment" | "home" | "interruption" | "now" | "platform" | "processes" | "random" | "sleep" | "uid" | "wallClock"
>;

export type Output = Host["stdout"];

export type Processes = Host["processes"];

export type Interruption = ReturnType<Host["interruption"]>;

export function systemHost() {
  const environment: Variables = process.env;
  const began = Date.now() - process.uptime() * 1000;
  // Our own warning replaces Node's, which would spoil what a script reads from stderr.
  if (trustsAnyCertificate(environment)) process.removeAllListeners("warning");
  const stop = once(() => new AbortController());
  const signals = systemSignals(stop);
  let outlivesReader = false;
  // A reader that goes away interrupts the program. A terminal that is gone (EIO) is a hang-up, whose signal may come later.
  const stdout = systemOutput(
    1,
    () => process.stdout,
    environment,
    ({ code }) => outlivesReader || stop().abort(code === "EIO" ? "SIGHUP" : "SIGINT"),
  );
  const stderr = systemOutput(2, () => process.stderr, environment);
  // Once recipients or a text were typed to their end, stdin is closed, but its terminal is not.
  const terminalAgain = once(() => new (process.getBuiltinModule("node:tty").ReadStream)(0));
  return {
    stdin: {
      isTerminal: (): boolean => process.stdin.isTTY,
      isPipe: () => fstatSync(0).isFIFO(),
      /** After a signal throws `INTERRUPTED`; if `halt` is not aborted, what is at hand is read before. */
      chunks: (halt?: AbortSignal): AsyncIterable<Uint8Array> =>
        interruptible(openStandardInput, signals.interruption().stop, halt),
    },
    stdout: stdout.output,
    stderr: stderr.output,
    /** Throws the system's error, or `INTERRUPTED` once `until` is aborted. */
    readFile: (path: string, until?: AbortSignal): AsyncIterable<Uint8Array> =>
      interruptible(() => openFile(path), until ?? signals.interruption().stop),
    terminal: (): Terminal | undefined => {
      // The order matters: a script sends without opening its stdin.
      if (!process.stderr.isTTY || !process.stdin.isTTY) return undefined;
      const input = process.stdin.destroyed ? terminalAgain() : process.stdin;
      const onInterrupt = () => process.kill(process.pid, "SIGINT");
      return { input, output: process.stderr, discardTyped: () => discardTyped(input, onInterrupt) };
    },
    environment,
    platform: process.platform,
    home: homeFolder,
    uid: process.getuid?.(),
    processes: { pid: process.pid, exists: processExists },
    /** Sends a signal to a process, or to its group if the number is negative. Returns false if nothing takes the signal. */
    signal: (pid: number, signal: NodeJS.Signals | 0): boolean => signalled(pid, signal),
    /** Milliseconds since 1970. This clock never goes back, and stops while the machine sleeps. */
    now: () => began + process.uptime() * 1000,
    wallClock: Date.now,
    timeZone: (): string | undefined => Intl.DateTimeFormat().resolvedOptions().timeZone,
    sleep,
    random: Math.random,
    ...signals,
    outliveReader: (openTerminal: OpenTerminal): void => {
      outlivesReader = true;
      for (const { neverWait } of [stdout, stderr]) neverWait(signals.interruption().stop, openTerminal);
    },
    /** Nothing interrupts a name look-up, and the process cannot end before the look-up does. */
    limitLookups: (ms: number): void => {
      // glibc takes whole seconds, 5 at most (resolv.conf(5)). Without exec the process cannot end during a look-up.
      const seconds = "execve" in process ? Math.min(5, Math.max(1, Math.floor(ms / 3000))) : 1;
      process.env["RES_OPTIONS"] ??= `timeout:${seconds} attempts:1`;
    },
  };
}

export function trustsAnyCertificate(environment: Variables): boolean {
  return environment["NODE_TLS_REJECT_UNAUTHORIZED"] === "0";
}

/** `node:os` takes a while to load, and throws for an unknown user. */
function homeFolder(): string | undefined {
  try {
    const variable = process.platform === "win32" ? "USERPROFILE" : "HOME";
    const home = process.env[variable] ?? process.getBuiltinModule("node:os").homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

export function isNode20(): boolean {
  return process.versions.node.startsWith("20.");
}

export function runtime() {
  const isStandalone = process.getBuiltinModule("node:sea").isSea();
  return { isStandalone, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
}

function processExists(pid: number): boolean {
  return signalled(pid, 0);
}

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // Another user's process exists, although we may not signal it.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function systemOutput(
  fd: 1 | 2,
  open: () => NodeJS.WriteStream,
  environment: Variables,
  onFailure: (error: NodeJS.ErrnoException) => void = () => {},
) {
  let failure: NodeJS.ErrnoException | undefined;
  let sink: Writable | undefined;
  let stop: AbortSignal | undefined;
  const watch = <Sink extends Writable>(stream: Sink): Sink => {
    sink = stream;
    return stream.on("error", (error) => {
      failure ??= error;
      onFailure(error);
    });
  };
  const stream = once(() => watch(open()));
  const output = {
    hasColor: () => wantsColor(stream().isTTY, environment),
    isTerminal: (): boolean => stream().isTTY,
    columns: () => stream().columns || 80,
    write: (text: string): void => {
      const { writableLength } = (sink ??= stream());
      if (failure === undefined && (stop === undefined || writableLength < mostUnread)) sink.write(text);
    },
    flush: async () => {
      if (sink === undefined || sink.writableLength === 0 || failure !== undefined) return;
      const flushed = new Promise<void>((resolve) => void sink?.write("", () => resolve()));
      await (stop === undefined ? flushed : Promise.race([flushed, soonAfter(stop)]));
    },
    // The stream reports a failure a turn later, when the process may have ended.
    failure: (): NodeJS.ErrnoException | undefined => failure ?? sink?.errored ?? undefined,
  };
  const neverWait = (signal: AbortSignal, openTerminal: OpenTerminal) => {
    stop = signal;
    const terminal = stream().isTTY ? openTerminal(fd) : undefined;
    if (terminal !== undefined) watch(terminal);
  };
  return { output, neverWait };
}

const mostUnread = 1024 * 1024;

const graceMs = 500;

async function soonAfter(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await eventOf(stop, "abort");
  await sleep(graceMs);
}

/** NO_COLOR (https://no-color.org) beats FORCE_COLOR, which beats the kind of the stream. */
export function wantsColor(isTerminal: boolean, environment: Variables): boolean {
  if (environment["NO_COLOR"]) return false;
  if (environment["FORCE_COLOR"]) return environment["FORCE_COLOR"] !== "0";
  return isTerminal && environment["TERM"] !== "dumb";
}

function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** `node:timers/promises` makes an error with its stack for each wait that a signal ends. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

const stopping = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/** SIGQUIT and SIGUSR2 would end the program, which ignores SIGUSR1. */
const divertible = ["SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** A closed terminal, `timeout` and npm send their signal twice, within fewer milliseconds than these. */
const oneSignalMs = 100;

const leaveMs = 500;

function systemSignals(stop: () => AbortController) {
  let onLeft: () => void = () => {};
  const departure = new Promise<void>((resolve) => (onLeft = resolve));
  let divertTo: ((signal: NodeJS.Signals) => void) | undefined;
  let isListening = false;
  const listen = once(() => {
    isListening = true;
    return listenForSignals(stop(), onLeft, () => divertTo);
  });
  return {
    /** From the first call on, a signal no longer ends the process by itself. */
    interruption: listen,
    departure,
    beforeSignal: (clean: () => void) => {
      const release = onSignals((signal) => {
        if (isListening) return;
        clean();
        release();
        process.kill(process.pid, signal);
      });
      return release;
    },
    divertSignals: (take: (signal: NodeJS.Signals) => void) => {
      listen();
      divertTo = take;
      const release = onSignals(take, divertible);
      return () => {
        divertTo = undefined;
        release();
      };
    },
  };
}

function listenForSignals(
  stop: AbortController,
  onLeft: () => void,
  diversion: () => ((signal: NodeJS.Signals) => void) | undefined,
) {
  const leave = new AbortController();
  let first: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const take = diversion();
    if (take !== undefined) return take(signal);
    first ??= Date.now();
    stop.abort(signal);
    if (leave.signal.aborted || Math.abs(Date.now() - first) < oneSignalMs) return;
    leave.abort(signal);
    setTimeout(onLeft, leaveMs);
  };
  onSignals(onSignal);
  /** The first signal aborts `stop`, with its name as the reason: begin nothing new. The second aborts `leave`. */
  return { stop: stop.signal, leave: leave.signal };
}

function onSignals(take: (signal: NodeJS.Signals) => void, names: readonly NodeJS.Signals[] = stopping): () => void {
  for (const signal of names) process.on(signal, take);
  return () => {
    for (const signal of names) process.off(signal, take);
  };
}

/** A terminal gives Ctrl-C to the command and to us, and our signal may come a moment later. */
export function afterOurSignal(status: number | null, then: () => void): void {
  if (status === 0) then();
  else setTimeout(then, oneSignalMs);
}

type Stream = AsyncIterable<Uint8Array> & { readonly destroy: () => unknown };

async function openStandardInput(): Promise<Stream> {
  // Node reads a folder as an input without content.
  if (fstatSync(0).isDirectory()) throw usageError("UNREADABLE_FILE", "standard input is a folder", "give it a file");
  return process.stdin;
}

const mostAtHand = 1024 * 1024;

async function* interruptible(open: () => Promise<Stream>, stop: AbortSignal, halt = stop): AsyncGenerator<Uint8Array> {
  const stream = await open();
  const end = () => void stream.destroy();
  const wait = whenQuiet(end);
  halt.addEventListener("abort", end);
  stop.addEventListener("abort", wait);
  if (halt.aborted) end();
  else if (stop.aborted) wait();
  let atHand = 0;
  try {
    for await (const chunk of stream) {
      if (halt.aborted || atHand >= mostAtHand) break;
      if (stop.aborted) {
        atHand += chunk.length;
        wait();
      }
      yield chunk;
      // Node reads 2 MB of a pipe in one turn of its event loop, and hears no signal meanwhile.
      await new Promise(setImmediate);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    halt.removeEventListener("abort", end);
    stop.removeEventListener("abort", wait);
  }
  if (stop.aborted) throw interruptionError(stop, "unsent");
}

/** A terminal hands over a long paste piece by piece. */
const quietMs = 25;

function whenQuiet(then: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let lastLook: NodeJS.Immediate | undefined;
  return () => {
    clearTimeout(timer);
    clearImmediate(lastLook);
    // A timer may be due before the stream was looked at; an immediate runs after that.
    timer = setTimeout(() => (lastLook = setImmediate(then)), quietMs);
  };
}

async function discardTyped(input: ReadStream, onInterrupt: () => void): Promise<void> {
  input.setRawMode(true);
  await new Promise<void>((resolve) => {
    const forget = (typed: Buffer) => {
      if (typed.includes(ctrlC)) onInterrupt();
      wait();
    };
    const finish = () => {
      input.off("data", forget).pause();
      resolve();
    };
    const wait = whenQuiet(finish);
    input.on("data", forget);
    wait();
  });
  input.setRawMode(false);
}

const ctrlC = 0x03;

/** The process could not end before a writer of the pipe comes, so nothing waits for a writer. */
async function openFile(path: string): Promise<Stream> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(file).isFIFO()) return new (await import("node:net")).Socket({ fd: file, writable: false });
  const tty = await import("node:tty");
  return tty.isatty(file) ? new tty.ReadStream(file) : createReadStream(path, { fd: file });
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1|\[::1\])$/i.test(host);
}
