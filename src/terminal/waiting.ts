import type { Host } from "../host.ts";

/** A sentence gets a spinner, but lines are shown as they are. */
export type Wait = string | (() => string) | { readonly lines: (columns: number) => readonly string[] };

interface WaitingLines {
  readonly during: <T>(wait: Wait | undefined, work: () => Promise<T>) => Promise<T>;
  /** The lines come back later if the work still lasts. */
  readonly clear: () => void;
}

/** Shorter work shows nothing. */
const delayMs = 300;

const frameMs = 100;

/** Drawing leaves the cursor where the lines begin, so that a stop or a resize erases nothing above. */
export function waitingLines(
  host: Pick<Host, "stderr" | "now" | "sleep" | "departure" | "beforeSignal">,
  hasColor: boolean,
  safe: (text: string) => string,
): WaitingLines {
  const { stderr, now, sleep, departure, beforeSignal } = host;
  const waits: (Wait | undefined)[] = [];
  let showFrom = 0;
  let isShown = false;
  let end = new AbortController();
  let spinner: ((text: string) => string) | undefined;

  const clear = () => {
    if (isShown) stderr.write("\r\u001b[J");
    isShown = false;
    showFrom = now() + delayMs;
  };
  const change = (edit: () => void) => {
    const before = waits.length;
    edit();
    clear();
    if (waits.length === 0) end.abort();
    else if (before === 0) {
      end = new AbortController();
      void turn(end.signal);
    }
  };
  const turn = async (signal: AbortSignal) => {
    const release = beforeSignal(clear);
    while (!signal.aborted) {
      await sleep(Math.max(frameMs, showFrom - now()), signal);
      const wait = waits.at(-1);
      if (signal.aborted || wait === undefined || now() < showFrom) continue;
      const isSentence = typeof wait !== "object";
      if (isSentence) spinner ??= await loadSpinner(hasColor);
      if (waits.at(-1) !== wait || now() < showFrom) continue;
      const columns = stderr.columns();
      const lines = isSentence
        ? [spinner?.(cutTo(columns - 4, safe(typeof wait === "string" ? wait : wait()))) ?? ""]
        : wait.lines(columns - 2).map((line) => cutTo(columns - 2, safe(line)));
      draw(lines);
    }
    release();
  };
  const draw = (lines: readonly string[]) => {
    const up = lines.length > 1 ? `\u001b[${lines.length - 1}A` : "";
    // Some characters are wider than one column, so wrapping is off.
    stderr.write(`\r\u001b[?7l ${lines.join("\u001b[K\r\n ")}\u001b[J${up}\r\u001b[?7h`);
    isShown = true;
  };
  void departure.then(() => change(() => waits.splice(0)));
  return {
    clear,
    during: async (wait, work) => {
      change(() => waits.push(wait));
      try {
        return await work();
      } finally {
        change(() => waits.pop());
      }
    },
  };
}

/** ora's own drawing would replace `write` of stdout. A program that was moved meanwhile shows no spinner. */
async function loadSpinner(hasColor: boolean): Promise<(text: string) => string> {
  const { default: ora } = await import("ora").catch(() => ({ default: undefined }));
  if (ora === undefined) return (text) => text;
  const spinner = ora({ color: hasColor ? "cyan" : false, discardStdin: false, hideCursor: false });
  return (text) => {
    spinner.text = text;
    return spinner.frame();
  };
}

function cutTo(width: number, text: string): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;
}
