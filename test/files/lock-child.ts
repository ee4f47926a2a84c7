import { createInterface } from "node:readline";
import { acquireLock, type Lock } from "../../src/files/lock.ts";
import { processes } from "./this-process.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

let lock: Lock | undefined;

say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [command, path = "", number = "0"] = line.split("\t");
  if (command === "take") {
    // Children with the same start time race.
    while (Date.now() < Number(number));
    const taken = await acquireLock(path, processes);
    if (taken.kind === "lock") lock = taken;
    say(taken.kind === "lock" ? "taken" : `owned by ${taken.owner?.pid}`);
  }
  if (command === "release") {
    lock?.release();
    say("released");
  }
}
