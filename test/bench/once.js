// A send under a new key of --once behind many keys, beside one behind none: the folders must stay quick to list.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { send } from "./commands.js";
import { canMeasureTime, inTurn } from "./figures.js";
import { atMost, timeRows } from "./table.js";

/** Yields the row of a new key behind so many. */
export async function* measureOnce(desk, rounds, count = 100_000) {
  if (!canMeasureTime) {
    yield { note: "Skipped: it takes bash." };
    return;
  }
  let next = 0;
  const under = (name, keys) => {
    const state = join(desk.folder, name);
    writeKeys(state, keys);
    const { args, env, says } = send(desk, "http");
    // A getter: each send has a key of its own.
    return {
      get args() {
        return [...args, "--once", `bench ${next++}`];
      },
      env: { ...env, SMS_STATE_DIR: state },
      says,
    };
  };
  const { many, none } = await inTurn(rounds, { many: under("many-keys", count), none: under("no-keys", 0) });
  yield* timeRows(`a new key behind ${count.toLocaleString("en")} / behind none`, many, none, atMost(1.1));
}

/** Writes the files of keys that were used, as `src/record/folder/once.ts` names them. */
function writeKeys(state, count) {
  const hash = (text) => createHash("sha256").update(text).digest("hex");
  for (let index = 0; index < count; index++) {
    const name = hash(`key ${index}`).slice(0, 32);
    const folder = join(state, "once", name.slice(0, 2));
    if (index < 5_000) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `${name}.ndjson`), `{"version":1}\n`, { mode: 0o600 });
  }
}
