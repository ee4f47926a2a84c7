import { closeSync, openSync, writeSync } from "node:fs";
import { SmsError } from "../../src/errors.ts";
import { replaceFile, writeAll } from "../../src/files/durable.ts";
import { acquireLock } from "../../src/files/lock.ts";
import { processes } from "./this-process.ts";

const [, , command, path = "", size = "0"] = process.argv;
const bytes = Buffer.alloc(Number(size), "n");

try {
  if (command === "replace") replaceFile(path, bytes.toString());
  if (command === "lock") await acquireLock(path, processes);
  if (command === "write") {
    const file = openSync(path, "w");
    writeAll((rest) => writeSync(file, rest), bytes);
    closeSync(file);
  }
  process.stdout.write("done\n");
} catch (error) {
  process.stdout.write(`${error instanceof SmsError ? error.message : String(error)}\n`);
}
