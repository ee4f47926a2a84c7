import { join } from "node:path";
import { removeLeftovers, replaceFile } from "../../files/durable.ts";
import { withLock } from "../../files/lock.ts";
import { makeStateFolder, readIfThere, type StateFolder } from "../../files/state-folder.ts";
import { usageError } from "../../errors.ts";
import type { Machine } from "../../host.ts";
import { isNumber, parseJson } from "../../json.ts";
import { mostKept, type WatchKeeper } from "../watched.ts";

const folderName = "watched";

export function watchFolder(state: StateFolder, machine: Machine): WatchKeeper {
  const change = (name: string, next: (times: readonly number[], now: number) => readonly number[]) => {
    makeStateFolder(state, folderName);
    const path = join(state.path, folderName, `${name}.json`);
    return withLock(`${path}.lock`, machine, () => {
      removeLeftovers(path);
      const now = machine.wallClock();
      const times = next(timesIn(readIfThere(path), path), now).toSorted((a, b) => a - b);
      replaceFile(path, `${JSON.stringify(times.slice(-mostKept))}\n`);
      // A text in the future went before the clock was set back.
      return times.map((at) => Math.max(0, now - at));
    });
  };
  return {
    ages: (name) => change(name, (times) => times),
    take: async (name, { texts, timeMs }) => {
      let slot: string | undefined;
      await change(name, (times, now) => {
        if (times.filter((at) => at + timeMs >= now).length >= texts) return times;
        slot = String(now);
        return [...times, now];
      });
      return slot;
    },
    end: async (name, slot, counts) => {
      await change(name, (times, now) => {
        const at = times.indexOf(Number(slot));
        return [...times.filter((_, index) => index !== at), ...(counts ? [now] : [])];
      });
    },
  };
}

function timesIn(text: string | undefined, path: string): readonly number[] {
  const times = text === undefined ? [] : parseJson(text);
  if (Array.isArray(times) && times.every(isNumber)) return times;
  throw usageError("NOT_RECORDABLE", `${path}, what watches have sent, is damaged`, "remove it once no watch runs");
}
