// How long a command takes from start to end, beside scripts that do the same and beside curl.
import { bareScript, curl, emptyScript, send, sendAnew, sendFromProfile, sendUnrecorded, sms } from "./commands.js";
import { inTurn, median, ratioOf } from "./figures.js";
import { atMost } from "./table.js";

const isNode20 = process.version.startsWith("v20.");
const bounds = {
  http: { kept: atMost(isNode20 ? 1.6 : 1.45), anew: atMost(isNode20 ? 2 : 1.75) },
  https: { kept: atMost(isNode20 ? 1.5 : 1.7, 1.3), anew: undefined },
};

/** Yields the rows of `send` over http and https, `--version` and `--help`. */
export async function* measureStart(desk, rounds) {
  for (const [protocol, bound] of Object.entries(bounds)) {
    const { bare, curled, anew, unrecorded, ...ours } = await inTurn(rounds, {
      "key in the environment": send(desk, protocol),
      "key in a profile": sendFromProfile(desk, protocol),
      anew: sendAnew(desk, protocol),
      unrecorded: sendUnrecorded(desk, protocol),
      bare: bareScript(desk, protocol),
      curled: curl(desk, protocol),
    });
    for (const [where, times] of Object.entries(ours)) {
      yield row(`send, ${where} / bare node:${protocol}`, times, bare, bound.kept);
    }
    yield row(`send, no code kept / bare node:${protocol}`, anew, bare, bound.anew);
    const recorded = ours["key in the environment"];
    yield row(`send over ${protocol} / the same without history`, recorded, unrecorded, atMost(1.03));
    yield row(`send over ${protocol} / curl`, ours["key in the environment"], curled);
  }
  const { empty, ...ours } = await inTurn(rounds, {
    "--version": sms(desk, ["--version"], /^\d+\.\d+/),
    "--help": sms(desk, ["--help"], /Usage/i),
    empty: emptyScript(desk),
  });
  for (const [flag, times] of Object.entries(ours)) {
    yield row(`${flag} / an empty script`, times, empty, atMost(1.1));
  }
  yield { note: "No side refuses the server's certificate; both read their list of authorities." };
}

function row(name, ours, theirs, bound) {
  const ms = (times) => `${median(times).toFixed(0)} ms`;
  return { name, ours: ms(ours), theirs: ms(theirs), ratio: ratioOf(ours, theirs), bound };
}
