// Adds opt-outs as a program of its own: node opt-out-child.js FOLDER FIRST COUNT
import { addOptOuts, changeOptOuts } from "../../src/guards/opt-out-store.ts";
import { machine, ours } from "../files/this-process.ts";

const [folder = "", first = "", count = ""] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
  const to = `+${Number(first) + index}`;
  await changeOptOuts(ours(folder), machine, (list) => addOptOuts(list, [{ to, at: "2026-01-31T08:00:00.000Z" }]).list);
  process.stdout.write(`${to}\n`);
}
process.stdout.write("done\n");
