// How long a command takes from start to end, compared with scripts that do the same.
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
