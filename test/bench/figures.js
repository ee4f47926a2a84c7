// Times and memory of commands that are run in turn.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The median over the rounds of what one had in a round, divided by what another had in the same round. */
export function ratioOf(numerators, denominators) {
  return median(numerators.map((value, round) => value / denominators[round]));
}

/** It measures the command that follows to a millisecond, and writes the times to the end of stderr. */
const bash = ["bash", "-c", 'TIMEFORMAT="%3R %3U %3S"; time "$@"', "bash"];

/** GNU's, or what goes by its name: it asks the system for the peak of the one child that it waits for. */
const memoryProgram = "/usr/bin/time";

export const canMeasureTime = spawnSync(bash[0], ["--version"]).status === 0;

export const canMeasureMemory = canMeasureTime && process.platform === "linux" && existsSync(memoryProgram);

/** Measures all in each round, and returns the figures by their names. Several rounds follow one that does not count. */
export async function inTurn(rounds, commands, measured = timed) {
  const figures = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = rounds > 1 ? -1 : 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(commands)) {
      const figure = await measured(command);
      if (round >= 0) figures[name].push(figure);
    }
  }
  return figures;
}

/** Runs a command `{ program, args, env, says }`. Gives its milliseconds from start to end, and those of processors, which a busy machine hardly changes. */
export function timed(command) {
  return measure(command, []);
}

/** As `timed`, with the most memory that the command had at once. */
export async function spending(command) {
  const { rest, ...times } = await measure(command, [memoryProgram, "-f", "%M"]);
  return { ...times, mebibytes: Number(rest.trim().split("\n").at(-1)) / 1024 };
}

async function measure(command, inner) {
  const { program = process.execPath, args, env, says } = command;
  const { stdout, stderr } = await end([...bash, ...inner, program, ...args], env);
  const [, rest, figures] = /^(.*)\n(.+)\n$/s.exec(`\n${stderr}`);
  if (!says.test(stdout + rest)) throw new Error(`${args.join(" ")} said: ${stdout}${rest}`);
  const [wall, user, system] = figures.split(" ").map((seconds) => Number(seconds) * 1000);
  return { wall, processor: user + system, rest };
}

/** A command that ends otherwise than it should ends the benchmark. */
function end([program, ...args], env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    const written = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => (written.stdout += chunk));
    child.stderr.on("data", (chunk) => (written.stderr += chunk));
    child.on("error", reject);
    child.on("close", (ended) => {
      if (ended === 0) resolve(written);
      else reject(new Error(`${args.join(" ")} ended with ${ended}\n${written.stderr}`));
    });
  });
}
