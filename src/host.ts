import { constants, createReadStream, fstatSync, openSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { interruption, usageError } from "./errors.ts";

export interface Output {
  readonly hasColor: () => boolean;
  readonly isTerminal: () => boolean;
  readonly columns: () => number;
  readonly write: (text: string) => void;
  readonly flush: () => Promise<void>;
  readonly failure: () => NodeJS.ErrnoException | undefined;
}

interface Input {
  readonly isTerminal: () => boolean;
  readonly isPipe: () => boolean;
  /** After a signal throws `INTERRUPTED`; if `halt` is not aborted, what is at hand is read before. */
  readonly chunks: (halt?: AbortSignal) => AsyncIterable<Uint8Array>;
}

export interface Processes {
  readonly pid: number;
  readonly exists: (pid: number) => boolean;
}

export interface Interruption {
  /** The first signal aborts this, with its name as the reason: begin nothing new. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly discardTyped: () => Promise<void>;
}

type OpenTerminal = (fd: number) => Writable | undefined;

export interface Host {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Throws the system's error, or `INTERRUPTED` once `stop` is aborted. */
  readonly readFile: (path: string, stop?: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly terminal: () => Terminal | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: () => string | undefined;
  readonly uid: number | undefined;
  readonly processes: Processes;
  readonly began: number;
  /** Milliseconds since 1970. This clock never goes back, and stops while the machine sleeps. */
  readonly now: () => number;
  readonly wallClock: () => number;
  readonly timeZone: () => string | undefined;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** From the first call on, a signal no longer ends the process by itself. */
  readonly interruption: () => Interruption;
  readonly outliveReader: (openTerminal: OpenTerminal) => void;
  readonly beforeSignal: (clean: () => void) => () => void;
  readonly divertSignals: (take: (signal: NodeJS.Signals) => void) => () => void;
  readonly left: Promise<void>;
  /** Nothing interrupts a name look-up, and the process cannot end before the look-up does. */
  readonly limitLookups: (ms: number) => void;
}

export function systemHost(): Host {
  const environment = process.env;
  const began = Date.now() - process.uptime() * 1000;
  // Our own warning replaces Node's, which would spoil what a script reads from stderr.
  if (trustsAnyCertificate(environment)) process.removeAllListeners("warning");
  const stop = once(() => new AbortController());
  let onLeft: () => void = () => {};
  const left = new Promise<void>((resolve) => (onLeft = resolve));
  let diverted: ((signal: NodeJS.Signals) => void) | undefined;
  let isListening = false;
  let outlivesReader = false;
  // A reader that goes away interrupts the program. A terminal that is gone (EIO) is a hang-up, whose signal may come later.
  const stdout = systemOutput(
    1,
    () => process.stdout,
    environment,
    ({ code }) => outlivesReader || stop().abort(code === "EIO" ? "SIGHUP" : "SIGINT"),
  );
  const stderr = systemOutput(2, () => process.stderr, environment);
  const signals = once(() => {
    isListening = true;
    return listenForSignals(stop(), onLeft, () => diverted);
  });
  // Once recipients or a text were typed to their end, stdin is closed, but its terminal is not.
  const reopened = once(() => new (process.getBuiltinModule("node:tty").ReadStream)(0));
  const keyboard = () => (process.stdin.destroyed ? reopened() : process.stdin);
  return {
    stdin: {
      isTerminal: () => process.stdin.isTTY,
      isPipe: () => fstatSync(0).isFIFO(),
      chunks: (halt) => interruptible(openStandardInput, signals().stop, halt),
    },
    stdout,
    stderr,
    readFile: (path, until = signals().stop) => interruptible(() => openFile(path), until),
    terminal: () => {
      // The order matters: a script sends without opening its stdin.
      if (!process.stderr.isTTY || !process.stdin.isTTY) return undefined;
      const input = keyboard();
      const onInterrupt = () => process.kill(process.pid, "SIGINT");
      return { input, output: process.stderr, discardTyped: () => discardTyped(input, onInterrupt) };
    },
    environment,
    platform: process.platform,
    home: homeFolder,
    uid: process.getuid?.(),
    processes: { pid: process.pid, exists: processExists },
    began,
    now: () => began + process.uptime() * 1000,
    wallClock: Date.now,
    timeZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    sleep: passed,
    random: Math.random,
    interruption: signals,
    outliveReader: (openTerminal) => {
      outlivesReader = true;
      for (const output of [stdout, stderr]) output.neverWait(signals().stop, openTerminal);
    },
    beforeSignal: (clean) => {
      const release = onSignals((signal) => {
        if (isListening) return;
        clean();
        release();
        process.kill(process.pid, signal);
      });
      return release;
    },
    divertSignals: (take) => {
      signals();
      diverted = take;
      const release = onSignals(take, passedOn);
      return () => {
        diverted = undefined;
        release();
      };
    },
    left,
    limitLookups: (ms) => {
      // glibc takes whole seconds, 5 at most (resolv.conf(5)). Without exec the process cannot end during a look-up.
      const seconds = "execve" in process ? Math.min(5, Math.max(1, Math.floor(ms / 3000))) : 1;
      process.env["RES_OPTIONS"] ??= `timeout:${seconds} attempts:1`;
    },
  };
}

export function trustsAnyCertificate(environment: Host["environment"]): boolean {
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
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process exists, although we may not signal it.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function systemOutput(
  fd: 1 | 2,
  open: () => NodeJS.WriteStream,
  environment: Host["environment"],
  onFailure: (error: NodeJS.ErrnoException) => void = () => {},
): Output & { readonly neverWait: (stop: AbortSignal, openTerminal: OpenTerminal) => void } {
  let failure: NodeJS.ErrnoException | undefined;
  let sink: Writable | undefined;
  let stop: AbortSignal | undefined;
  const watched = <Sink extends Writable>(stream: Sink): Sink => {
    sink = stream;
    return stream.on("error", (error) => {
      failure ??= error;
      onFailure(error);
    });
  };
  const stream = once(() => watched(open()));
  return {
    hasColor: () => wantsColor(stream().isTTY, environment),
    isTerminal: () => stream().isTTY,
    columns: () => stream().columns || 80,
    write: (text) => {
      const { writableLength } = (sink ??= stream());
      if (failure === undefined && (stop === undefined || writableLength < mostUnread)) sink.write(text);
    },
    flush: async () => {
      if (sink === undefined || sink.writableLength === 0 || failure !== undefined) return;
      const written = new Promise<void>((resolve) => void sink?.write("", () => resolve()));
      await (stop === undefined ? written : Promise.race([written, soonAfter(stop)]));
    },
    // The stream reports a failure a turn later, when the process may have ended.
    failure: () => failure ?? sink?.errored ?? undefined,
    neverWait: (signal, openTerminal) => {
      stop = signal;
      const terminal = stream().isTTY ? openTerminal(fd) : undefined;
      if (terminal !== undefined) watched(terminal);
    },
  };
}

const mostUnread = 1024 * 1024;

const graceMs = 500;

function soonAfter(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const begin = () => void setTimeout(resolve, graceMs);
    if (stop.aborted) begin();
    else stop.addEventListener("abort", begin, { once: true });
  });
}

/** NO_COLOR (https://no-color.org) beats FORCE_COLOR, which beats the kind of the stream. */
export function wantsColor(isTerminal: boolean, environment: Host["environment"]): boolean {
  if (environment["NO_COLOR"]) return false;
  if (environment["FORCE_COLOR"]) return environment["FORCE_COLOR"] !== "0";
  return isTerminal && environment["TERM"] !== "dumb";
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** `node:timers/promises` makes an error with its stack for each wait that a signal ends. */
function passed(ms: number, signal?: AbortSignal): Promise<void> {
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
const passedOn = ["SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** A closed terminal, `timeout` and npm send their signal twice, within fewer milliseconds than these. */
const oneSignal = 100;

const lag = 100;

const timeToLeave = 500;

function listenForSignals(
  stop: AbortController,
  onLeft: () => void,
  diverted: () => ((signal: NodeJS.Signals) => void) | undefined,
) {
  const leave = new AbortController();
  let first: number | undefined;
  const heard = (signal: NodeJS.Signals) => {
    const take = diverted();
    if (take !== undefined) return take(signal);
    first ??= Date.now();
    stop.abort(signal);
    if (leave.signal.aborted || Math.abs(Date.now() - first) < oneSignal) return;
    leave.abort(signal);
    setTimeout(onLeft, timeToLeave);
  };
  onSignals(heard);
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
  else setTimeout(then, lag);
}

type Stream = AsyncIterable<Uint8Array> & { readonly destroy: () => unknown };

async function openStandardInput(): Promise<Stream> {
  // Node reads a folder as an input without content.
  if (fstatSync(0).isDirectory()) throw usageError("UNREADABLE_FILE", "standard input is a folder", "give it a file");
  return process.stdin;
}

const mostAtHand = 1024 * 1024;

export async function* interruptible(
  open: () => Promise<Stream>,
  stop: AbortSignal,
  halt = stop,
): AsyncGenerator<Uint8Array> {
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
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    halt.removeEventListener("abort", end);
    stop.removeEventListener("abort", wait);
  }
  if (stop.aborted) throw interruption(stop, "unsent");
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
export async function openFile(path: string): Promise<Stream> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(file).isFIFO()) return new (await import("node:net")).Socket({ fd: file, writable: false });
  const tty = await import("node:tty");
  return tty.isatty(file) ? new tty.ReadStream(file) : createReadStream(path, { fd: file });
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1|\[::1\])$/i.test(host);
}
