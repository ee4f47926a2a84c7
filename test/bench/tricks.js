// What a send over http gains by each trick of build/startup: the program is built without it.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { send, sendAnew } from "./commands.js";
import { inTurn, median, ratioOf } from "./figures.js";

const tricks = ["unused-parts", "parser-file", "numbering-plan-file", "eager-modules", "plain-exports"];

/** Yields a row for each trick, with kept code and without, and one for the kept code itself. */
export async function* measureTricks(desk, rounds) {
  const without = tricks.map((trick) => {
    const dist = join(desk.folder, `without-${trick}`);
    execFileSync(process.execPath, ["build/bundle.js", dist, "--without", trick]);
    return [trick, desk.install(`program-${trick}`, dist)];
  });
  const programs = [["nothing", desk.program], ...without];
  const commands = Object.fromEntries(
    programs.flatMap(([trick, program]) => [
      [trick, send(desk, "http", program)],
      [`${trick}, no code kept`, sendAnew(desk, "http", program)],
    ]),
  );
  const { nothing, "nothing, no code kept": anew, ...times } = await inTurn(rounds, commands);
  yield row("kept code", anew, nothing);
  for (const [name, own] of Object.entries(times)) yield row(name, own, name.includes(",") ? anew : nothing);
}

/** The gain is the median of the differences within a round. */
function row(name, without, whole) {
  const gain = median(without.map((time, round) => time - whole[round])).toFixed(1);
  const ms = (values) => `${median(values).toFixed(1)} ms`;
  const title = `send without ${name} / with: gains ${gain} ms`;
  return { name: title, ours: ms(without), theirs: ms(whole), ratio: ratioOf(without, whole) };
}
