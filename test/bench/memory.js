// The most memory that a send holds, beside a script that does the same.
import { bareScript, send } from "./commands.js";
import { canMeasureMemory, inTurn, median, peakMemory, ratioOf } from "./figures.js";
import { atMost } from "./table.js";

/** Yields the rows of peak memory over http and https. */
export async function* measureMemory(desk, rounds) {
  if (!canMeasureMemory) {
    yield { note: "Left out: it takes Linux and GNU time in /usr/bin." };
    return;
  }
  for (const protocol of ["http", "https"]) {
    const commands = { ours: send(desk, protocol), bare: bareScript(desk, protocol) };
    const { ours, bare } = await inTurn(rounds, commands, peakMemory);
    yield {
      name: `peak memory of send / bare node:${protocol}`,
      ours: mebibytes(ours),
      theirs: mebibytes(bare),
      ratio: ratioOf(ours, bare),
      bound: atMost(1.35, 1.25),
    };
  }
}

function mebibytes(values) {
  return `${median(values).toFixed(1)} MiB`;
}
