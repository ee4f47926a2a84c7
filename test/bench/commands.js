// The commands that are measured, each `{ program, args, env, says }`: sms, and the leanest scripts that do the same.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const body = JSON.stringify({ to: "+254712345678", message: "Hi" });
const path = "/api/v1/sms/send";
const secret = "sk_test_bench";
const accepted = /msg_\d+/;

/**
 * The environment of all commands. No certificate is refused, as nobody vouches for the server's: it is verified all the
 * same, and the system's list of authorities read as for any other server.
 */
function surroundings(desk) {
  return {
    PATH: process.env.PATH,
    HOME: desk.folder,
    SMS_CONFIG_DIR: join(desk.folder, "none"),
    SMS_STATE_DIR: join(desk.folder, "state"),
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  };
}

/** The environment of a command that sends to this base URL. */
export function sendingTo(desk, baseUrl) {
  return { ...surroundings(desk), SMS_BASE_URL: baseUrl, SMS_API_KEY: secret };
}

/** Writes a list of so many numbers and returns its path. */
export function listOfNumbers(desk, count) {
  const numbers = Array.from({ length: count }, (_, index) => `+2547${String(index).padStart(8, "0")}`);
  return desk.file(`recipients-${count}.txt`, numbers.join("\n"));
}

export function sms(desk, args, says) {
  return { args: [desk.program, ...args], env: surroundings(desk), says };
}

export function send(desk, protocol) {
  const command = sms(desk, ["send", "--to", "+254712345678", "-m", "Hi"], accepted);
  return { ...command, env: sendingTo(desk, desk.origins[protocol]) };
}

export function sendFromProfile(desk, protocol) {
  const store = `config-${protocol}`;
  mkdirSync(join(desk.folder, store), { recursive: true, mode: 0o700 });
  const profile = {
    baseUrl: desk.origins[protocol],
    path,
    credentials: { kind: "key", name: "bench" },
    defaults: {},
    keys: { bench: { secret, baseUrl: desk.origins[protocol], added: new Date().toISOString(), retired: false } },
  };
  const credentials = { version: 1, active: "default", profiles: { default: profile } };
  desk.file(join(store, "credentials.json"), JSON.stringify(credentials), 0o600);
  const { env, ...command } = send(desk, protocol);
  const { SMS_BASE_URL: _url, SMS_API_KEY: _key, ...others } = env;
  return { ...command, env: { ...others, SMS_CONFIG_DIR: join(desk.folder, store) } };
}

/** A script that does nothing. CommonJS, since Node starts it in less time than a module. */
export function emptyScript(desk) {
  return { args: [desk.file("empty.cjs", "")], env: surroundings(desk), says: /^$/ };
}

/** The same POST by `node:http` or `node:https`. CommonJS: from Node 22 on, importing these loads its fetch as well. */
export function bareScript(desk, protocol) {
  const headers = {
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  const script = `const { request } = require("node:${protocol}");
const options = { method: "POST", headers: ${JSON.stringify(headers)} };
const sent = request("${desk.origins[protocol]}${path}", options, (answer) => {
  let text = "";
  answer.on("data", (chunk) => (text += chunk));
  answer.on("end", () => console.log(JSON.parse(text).messageId));
});
sent.end(${JSON.stringify(body)});`;
  return { args: [desk.file(`${protocol}.cjs`, script)], env: surroundings(desk), says: accepted };
}
