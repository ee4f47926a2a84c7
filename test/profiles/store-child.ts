import { SmsError } from "../../src/errors.ts";
import { editProfile, removeKey } from "../../src/profiles/edits.ts";
import { changeStore } from "../../src/profiles/store.ts";
import type { Store } from "../../src/profiles/stored.ts";
import { machine } from "../files/this-process.ts";
import { adding } from "./stored.ts";

const [, , command, folder = "", name = "", count = "1"] = process.argv;
const say = (line: string) => process.stdout.write(`${line}\n`);

const removing = (key: string) => (store: Store) => editProfile(store, "default", (before) => removeKey(before, key));

/** Repeats a command `count` times; `change` replaces one key by another, and reports it, forever. */
async function run(): Promise<void> {
  if (command === "empty") await changeStore(folder, machine, (store) => store);
  if (command === "add") {
    for (let index = 0; index < Number(count); index++) await changeStore(folder, machine, adding(`${name}${index}`));
  }
  if (command === "change") {
    for (let index = 1; ; index++) {
      await changeStore(folder, machine, (store) =>
        adding(`${name}${index}`)(index === 1 ? store : removing(`${name}${index - 1}`)(store)),
      );
      say("changed");
    }
  }
}

try {
  await run();
  say("done");
} catch (error) {
  say(error instanceof SmsError ? error.message : String(error));
}
