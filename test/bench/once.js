// A send under a new key of --once behind many keys, beside one behind none, and the disk that a key takes.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { send } from "./commands.js";
import { canMeasureTime, inTurn, timed } from "./figures.js";
import { atMost, limited, timeRows } from "./table.js";

export async function* measureOnce(desk, rounds, count = 100_000) {
  if (!canMeasureTime) {
    yield { note: "Skipped: it takes bash." };
    return;
  }
  let next = 0;
  const under = (name) => {
    const { args, env, says } = send(desk, "http");
    // A getter: each send has a key of its own.
    return {
      get args() {
        return [...args, "--once", `bench ${next++}`];
      },
      env: { ...env, SMS_STATE_DIR: join(desk.folder, name) },
      says,
    };
  };
  await timed(under("one-key"));
  writeKeys(join(desk.folder, "many-keys"), count, join(desk.folder, "one-key"));
  const perKey = bytesOnDisk(join(desk.folder, "many-keys", "once")) / count;
  const { many, none } = await inTurn(rounds, { many: under("many-keys"), none: under("no-keys") });
  const behind = count.toLocaleString("en");
  yield* timeRows(`a new key behind ${behind} / behind none`, many, none, atMost(1.1));
  yield limited(`bytes of the disk a key, of ${behind}`, perKey, 1_024, (bytes) => bytes.toFixed(0));
}

/** Writes many keys as the program wrote the one that another state has: as lines of one file, or each as a file. */
function writeKeys(state, count, example) {
  const [path] = filesBelow(join(example, "once"));
  const [, name] = /([^/]+)$/.exec(path);
  const text = readFileSync(path, "utf8");
  const [, used] = /([0-9a-f]{32})/.exec(name + text);
  const files = new Map();
  for (let index = 0; index < count; index++) {
    const key = createHash("sha256").update(`key ${index}`).digest("hex").slice(0, 32);
    const file = join(state, "once", key.slice(0, 2), name.replace(used, key));
    files.set(file, (files.get(file) ?? "") + text.replace(used, key));
  }
  for (const [file, lines] of files) {
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(file, lines, { mode: 0o600 });
  }
}

function bytesOnDisk(folder) {
  return filesBelow(folder).reduce((sum, path) => sum + lstatSync(path).blocks * 512, 0);
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
