// Times and memory of commands that are run in turn.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

/** GNU's, or what goes by its name: it asks the system for the peak of the one child that it waits for. */
const timeProgram = "/usr/bin/time";

/** The middle one of `values`. */
export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The median over the rounds of what one had in a round, divided by what another had in the same round. */
export function ratioOf(numerators, denominators) {
  return median(numerators.map((value, round) => value / denominators[round]));
}

/**
 * Runs each of `commands`, by their names `{ program, args, env, says }`, once to see that it says what it should,
 * then `rounds` times in turn. Gives by the same names what `measure` found in each round.
 */
export async function inTurn(rounds, commands, measure = wall) {
  for (const command of Object.values(commands)) await prove(command);
  const found = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(commands)) found[name].push(await measure(command));
  }
  return found;
}

/** Whether `peakMemory` can be had on this machine. */
export const canMeasureMemory = process.platform === "linux" && existsSync(timeProgram);

/** The most memory that a command held at once, in MiB. */
export async function peakMemory({ program = process.execPath, args, env }) {
  const timed = ["-f", "%M", program, ...args];
  const { stderr } = await end({ program: timeProgram, args: timed, env });
  return Number(stderr.trim().split("\n").at(-1)) / 1024;
}

/** The processor time in seconds, which a busy machine does not change, and the most memory that a command held at once. */
export async function spending(command) {
  const { program = process.execPath, args, env, says } = command;
  const { stdout, stderr } = await end({ program: timeProgram, args: ["-f", "%U %S %M", program, ...args], env });
  requireWords(says, command, stdout + stderr);
  const [user, system, kibibytes] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { seconds: user + system, mebibytes: kibibytes / 1024 };
}

/** Milliseconds from spawn to exit. */
async function wall(command) {
  const began = performance.now();
  await end(command, "ignore");
  return performance.now() - began;
}

async function prove(command) {
  const { stdout, stderr } = await end(command);
  requireWords(command.says, command, stdout + stderr);
}

function requireWords(says, { args }, output) {
  if (!says.test(output)) throw new Error(`${args.join(" ")} said: ${output}`);
}

/** What a command wrote, if `output` is a pipe. A command that ends otherwise than it should ends the benchmark. */
function end({ program = process.execPath, args, env }, output = "pipe") {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["ignore", output, output] });
    const written = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk) => (written.stdout += chunk));
    child.stderr?.on("data", (chunk) => (written.stderr += chunk));
    child.on("error", reject);
    child.on("close", (ended) => {
      if (ended === 0) resolve(written);
      else reject(new Error(`${args.join(" ")} ended with ${ended}\n${written.stderr}`));
    });
  });
}
