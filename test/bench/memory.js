// The most memory that a send holds, beside a script that does the same.
import { bareScript, send, sendFromProfile } from "./commands.js";
import { canMeasureMemory, inTurn, median, peakMemory, ratioOf } from "./figures.js";
import { atMost } from "./table.js";

/** Yields the rows of a send over http and https. */
export async function* measureMemory(desk, rounds) {
  if (!canMeasureMemory) {
    yield { note: "Left out: it takes Linux and GNU time in /usr/bin." };
    return;
  }
  for (const protocol of ["http", "https"]) {
    const commands = {
      "key in the environment": send(desk, protocol),
      "key in a profile": sendFromProfile(desk, protocol),
      bare: bareScript(desk, protocol),
    };
    const { bare, ...ours } = await inTurn(rounds, commands, peakMemory);
    for (const [where, peaks] of Object.entries(ours)) {
      yield {
        name: `send, ${where} / bare node:${protocol}`,
        ours: mebibytes(peaks),
        theirs: mebibytes(bare),
        ratio: ratioOf(peaks, bare),
        bound: atMost(1.35, 1.25),
      };
    }
  }
}

function mebibytes(values) {
  return `${median(values).toFixed(1)} MiB`;
}
