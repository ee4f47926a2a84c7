// How long the command-line tools of two other services take for the same, each over https to the same server.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { send, sms, surroundings } from "./commands.js";
import { inTurn, median, ratioOf } from "./figures.js";
import { atLeast } from "./table.js";

const packages = ["twilio-cli@6.2.4", "@vonage/cli@1.2.4"];
/** They take a minute or two to install, so they are kept, where git does not look. */
const folder = fileURLToPath(new URL("../../node_modules/.cache/peers", import.meta.url));
const programs = { twilio: "twilio-cli/bin/run", vonage: "@vonage/cli/bin/run.cjs" };

const to = "+254712345678";
const sends = {
  twilio: ["api:core:messages:create", "--from", "+254712345679", "--to", to, "--body", "Hi", "-o", "json"],
  vonage: ["sms", "--from", "ACME", "--to", to, "--message", "Hi"],
};
/** What the tool of Vonage publishes sends the message, then fails to read the answer. */
const codes = { send: { vonage: 1 } };
const says = {
  send: { twilio: /SM0+/, vonage: /reading '0'/ },
  "--version": { twilio: /6\.2\.4/, vonage: /1\.2\.4/ },
  "--help": { twilio: /USAGE/, vonage: /USAGE/ },
};
const bounds = {
  send: { twilio: atLeast(6, 8), vonage: atLeast(2.5, 3) },
  "--version": { twilio: atLeast(3, 4), vonage: atLeast(3, 4) },
  "--help": {},
};

/** Yields the rows of a send, `--version` and `--help`. */
export async function* measurePeers(desk, rounds) {
  if (!install()) {
    yield { note: `Left out: ${packages.join(" and ")} could not be installed.` };
    return;
  }
  const ours = {
    send: redirected(desk, send(desk, "https")),
    "--version": sms(desk, ["--version"], /^\d+\.\d+/),
    "--help": sms(desk, ["--help"], /Usage/i),
  };
  for (const [name, command] of Object.entries(ours)) {
    const times = await inTurn(rounds, {
      ours: command,
      twilio: peer(desk, "twilio", name),
      vonage: peer(desk, "vonage", name),
    });
    for (const each of ["twilio", "vonage"]) {
      yield {
        name: `${each} ${name} / ours`,
        ours: `${median(times.ours).toFixed(0)} ms`,
        theirs: `${median(times[each]).toFixed(0)} ms`,
        ratio: ratioOf(times[each], times.ours),
        bound: bounds[name][each],
      };
    }
  }
  yield { note: `${packages.join(" and ")}, neither looking for newer versions. Both have their service's` };
  yield {
    note: "address built in: a preloaded script leads connections to the local server, for sms as well.",
  };
}

/** Whether they are there in the end. */
function install() {
  if (Object.values(programs).every((program) => existsSync(join(folder, "node_modules", program)))) return true;
  mkdirSync(folder, { recursive: true });
  const options = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
  return spawnSync("npm", ["install", ...options, ...packages], { stdio: "ignore" }).status === 0;
}

function peer(desk, name, what) {
  const command = {
    args: [join(folder, "node_modules", programs[name]), ...(what === "send" ? sends[name] : [what])],
    env: {
      ...surroundings(desk),
      TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
      TWILIO_API_KEY: `SK${"0".repeat(32)}`,
      TWILIO_API_SECRET: "bench",
      TWILIO_SKIP_NEW_VERSION_CHECK: "true",
      VONAGE_API_KEY: "bench",
      VONAGE_API_SECRET: "bench",
    },
    says: says[what][name],
    code: codes[what]?.[name],
  };
  return what === "send" ? redirected(desk, command) : command;
}

/** Leads whatever connects to a port 443 to the local server. */
function redirected(desk, command) {
  const { hostname: host, port } = new URL(desk.origins.https);
  const script = `const { Socket } = require("node:net");
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (Number(options?.port) === 443) Object.assign(options, { host: "${host}", port: ${port} });
  return connect.apply(this, args);
};`;
  const env = {
    ...command.env,
    NODE_OPTIONS: `--require ${JSON.stringify(desk.file("redirect.cjs", script))}`,
  };
  return { ...command, env };
}
