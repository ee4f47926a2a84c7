// How long a command takes from start to end beside a bare script that does the same, in pairs: node test/bench/start.js
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const rounds = 15;
const folder = mkdtempSync(join(tmpdir(), "sms-bench-"));

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const { to } = JSON.parse(body);
    const receipt = { success: true, messageId: "msg_1", segments: 1, totalCredits: 1, totalCostKes: 0.8 };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ ...receipt, newBalance: 99, status: "queued", to, senderId: "ACME" }));
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const empty = script("empty.mjs", "");
const post = script(
  "post.mjs",
  `import { request } from "node:http";
const body = JSON.stringify({ to: "+254712345678", message: "Hi" });
const headers = { authorization: "Bearer sk_test_bench", "content-type": "application/json", "content-length": body.length };
const sent = request("${url}/api/v1/sms/send", { method: "POST", headers }, (answer) => {
  let text = "";
  answer.on("data", (chunk) => (text += chunk));
  answer.on("end", () => console.log(JSON.parse(text).messageId));
});
sent.end(body);`,
);

// The same key, kept in a profile.
const store = join(folder, "config");
mkdirSync(store, { mode: 0o700 });
const profile = {
  baseUrl: url,
  path: "/api/v1/sms/send",
  credentials: { kind: "key", name: "bench" },
  defaults: {},
  keys: { bench: { secret: "sk_test_bench", added: new Date().toISOString(), retired: false } },
};
const credentials = { version: 1, active: "default", profiles: { default: profile } };
writeFileSync(join(store, "credentials.json"), JSON.stringify(credentials), { mode: 0o600 });

const send = ["bin/sms.js", "send", "--to", "+254712345678", "-m", "Hi"];
const fromEnvironment = {
  SMS_BASE_URL: url,
  SMS_API_KEY: "sk_test_bench",
  SMS_CONFIG_DIR: join(folder, "none"),
};
const fromProfile = { SMS_CONFIG_DIR: store };

const pairs = [
  ["sms --version / an empty script", ["bin/sms.js", "--version"], [empty]],
  ["sms --help / an empty script", ["bin/sms.js", "--help"], [empty]],
  ["sms send / a bare node:http POST", send, [post]],
  ["sms send, key in a profile / in the environment", send, send, fromProfile],
];

for (const [name, ours, theirs, environment = fromEnvironment] of pairs) {
  const ratios = [];
  const times = { ours: [], theirs: [] };
  await wall(ours, environment);
  await wall(theirs, fromEnvironment);
  for (let round = 0; round < rounds; round++) {
    const a = await wall(ours, environment);
    const b = await wall(theirs, fromEnvironment);
    times.ours.push(a);
    times.theirs.push(b);
    ratios.push(a / b);
  }
  const columns = [
    name.padEnd(48),
    median(ratios).toFixed(2).padStart(6),
    `(${median(times.ours).toFixed(0)} ms / ${median(times.theirs).toFixed(0)} ms, medians of ${rounds} pairs)`,
  ];
  process.stdout.write(`${columns.join("  ")}\n`);
}

server.close();
rmSync(folder, { recursive: true });

function script(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Milliseconds from spawn to exit; a command that fails ends the benchmark. */
function wall(args, environment) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { PATH: process.env.PATH, SMS_STATE_DIR: join(folder, "state"), ...environment },
    });
    child.on("exit", (code) =>
      code === 0
        ? resolve(performance.now() - began)
        : reject(new Error(`${args.join(" ")} ended with ${code}`)),
    );
  });
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
