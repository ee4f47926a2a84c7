import { closeSync, openSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, removeQuietly } from "../../files/durable.ts";
import { errorCode } from "../../files/open-file.ts";
import { requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import { type AccountPace, lateness, longestHold, longestSingleWait, turnInterval, type Turns } from "../account.ts";

/** How far ahead a run takes turns: one that is killed or stopped wastes so much at most, and a single message waits so long. Milliseconds. */
const ahead = 250;

/** How long a run counts as being at work after it took turns, besides twice the time between them. Milliseconds. */
const lifetime = 10_000;

interface RunAtWork {
  readonly name: string;
  readonly rate: number;
  readonly until: number;
}

/**
 * Takes turns in the folder of an account, which is given by the names on the way. It has an empty file for each run at work, and one whose name says when the next
 * turn is. A turn is taken by giving that file another name, which only one process can do: so there is no lock that a process
 * could leave behind.
 */
export function turnsIn(
  state: StateFolder,
  names: readonly string[],
  { wallClock, random }: Pick<Host, "wallClock" | "random">,
) {
  const folder = join(state.path, ...names);
  return {
    join: (rate: number): AccountPace => {
      const token = random().toString(36).slice(2);
      const life = lifetime + 2 * turnInterval(rate);
      let own: RunAtWork | undefined;
      const stayAtWork = (now: number) => {
        if (own !== undefined && own.until - now > life / 2 && own.until - now <= life) return;
        const until = Math.floor(now + life);
        own = { name: renewed(folder, own?.name, `run-${rate}-${token}-${until}`), rate, until };
      };
      const take = (): Turns => {
        const now = wallClock();
        makeFolder(folder);
        requirePrivateState(state, ...names);
        stayAtWork(now);
        const highest = Math.max(rate, ...runsAtWork(readdirSync(folder), now, folder).map((run) => run.rate));
        const interval = turnInterval(highest);
        // A run below the pace of the account uses each turn later than the next is due.
        const count = rate < highest ? 1 : Math.max(1, Math.floor(ahead / interval));
        const claimed = claim(folder, now, (next) => {
          const start = Math.max(next, now - lateness);
          return start > now ? undefined : { start, next: start + count * interval };
        });
        if (claimed.isTaken) return { wait: Math.max(0, claimed.start - now), count, interval };
        return { wait: Math.max(1, claimed.start - now), count: 0, interval };
      };
      return {
        take: async () => {
          try {
            return take();
          } catch {
            return { wait: 0, count: 1, interval: 0 };
          }
        },
        hold: async (ms) => {
          const now = wallClock();
          const until = now + Math.min(ms, longestHold);
          try {
            claim(folder, now, (next) => ({ start: next, next: Math.max(next, until) }));
          } catch {
            // Each command keeps its own pause.
          }
        },
        leave: async () => {
          if (own !== undefined) removeQuietly(join(folder, own.name));
        },
      };
    },
    /** Takes the next turn of an account that has runs at work, and returns the time until then. Throws the system's error. */
    takeOne: (files: readonly string[]): number => {
      const now = wallClock();
      const runs = runsAtWork(files, now);
      if (runs.length === 0) return 0;
      requirePrivateState(state, ...names);
      const interval = turnInterval(Math.max(...runs.map(({ rate }) => rate)));
      const { start } = claim(folder, now, (next) => {
        const at = Math.max(next, now - lateness);
        return { start: at, next: at + interval };
      });
      return Math.min(longestSingleWait, Math.max(0, start - now));
    },
  };
}

/** Returns the runs at work by the names of their files, and removes the files of dead runs from `folder`. */
function runsAtWork(names: readonly string[], now: number, folder?: string): readonly RunAtWork[] {
  return names.flatMap((name) => {
    const [, rate, until] = /^run-([\d.]+)-[0-9a-z]*-(\d+)$/.exec(name) ?? [];
    if (rate === undefined) return [];
    const run = { name, rate: Number(rate), until: Number(until) };
    const left = run.until - now;
    // Where the clock was set back, a time too far ahead means nothing.
    if (left > 0 && left <= lifetime + 2 * turnInterval(run.rate)) return [run];
    if (folder !== undefined) removeQuietly(join(folder, name));
    return [];
  });
}

function renewed(folder: string, old: string | undefined, name: string): string {
  try {
    if (old !== undefined) {
      renameSync(join(folder, old), join(folder, name));
      return name;
    }
  } catch (error) {
    // Another run removed it while we were stopped.
    if (errorCode(error) !== "ENOENT") throw error;
  }
  closeSync(openSync(join(folder, name), "wx", 0o600));
  return name;
}

interface Claim {
  readonly start: number;
  readonly next: number;
}

/** Moves the next turn to where `decide` says, if that is anywhere; tries again while other processes move it. */
function claim(
  folder: string,
  now: number,
  decide: (next: number) => Claim | undefined,
): { readonly isTaken: boolean; readonly start: number } {
  let start = now;
  for (let tries = 0; tries < 50; tries++) {
    const name = nextIn(folder);
    const next = nextTurn(name, now);
    const wanted = decide(next);
    if (wanted === undefined) return { isTaken: false, start: next };
    ({ start } = wanted);
    try {
      renameSync(join(folder, name), join(folder, `next-${Math.round(now)}-${Math.ceil(1000 * wanted.next)}`));
      return { isTaken: true, start };
    } catch (error) {
      if (!["ENOENT", "EPERM", "EACCES", "EBUSY"].includes(errorCode(error))) throw error;
    }
  }
  return { isTaken: false, start };
}

/** Returns the name of the file that says when the next turn is, and makes it where there is none. */
function nextIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.startsWith("next-"));
  // Two processes that came first at once made one each.
  const [name, ...others] = names.toSorted((a, b) => microseconds(b) - microseconds(a));
  for (const other of others) removeQuietly(join(folder, other));
  return name ?? renewed(folder, undefined, "next-0-0");
}

function microseconds(name: string): number {
  return Number(name.split("-")[2]) || 0;
}

/** Returns the time of the next turn by the name of its file. Where the clock was set back since, that is now. */
function nextTurn(name: string, now: number): number {
  const at = Number(name.split("-")[1]) || 0;
  const next = microseconds(name) / 1000;
  // Another process may have looked at the clock a moment later.
  const isSetBack = at > now + 1_000 || next > now + longestHold;
  return isSetBack ? now : next;
}
