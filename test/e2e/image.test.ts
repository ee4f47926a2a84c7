import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";

// No container engine is needed: what the image promises is tried with the mounts and the user of a container.
const recipe = readFileSync("build/Dockerfile", "utf8");
const lines = (word: string) => [...recipe.matchAll(new RegExp(`^${word} (.*)$`, "gm"))].map(([, rest = ""]) => rest);
let root: string;

/** Runs a shell command as the image does for a user that `setpriv` makes: only `/state` can be written. */
async function inImage(user: readonly string[], command: string, env: Readonly<Record<string, string>>) {
  const state = join(root, "state");
  const variables = Object.fromEntries(
    (lines("ENV")[0] ?? "").split(" ").map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      return [name, value.replaceAll("/state", state).replaceAll("/opt", join(root, "opt"))];
    }),
  );
  const mounts = [
    'mount --bind "$0" "$0"',
    'mount -o remount,bind,ro "$0"',
    'mount -t tmpfs -o mode=1777 none "$0/state"',
    'exec setpriv "$@"',
  ];
  const words = ["--mount", "sh", "-c", mounts.join(" && "), root, ...user, "sh", "-c", command];
  const path = String(variables["PATH"]).replace("$PATH", process.env["PATH"] ?? "");
  return promisify(execFile)("unshare", words, { env: { ...variables, ...env, PATH: path } });
}

const stranger = ["--reuid=12345", "--regid=12345", "--clear-groups", "--no-new-privs", "--bounding-set=-all"];

describe("the image", needs("root", "setpriv", "PID namespaces"), () => {
  beforeAll(() => {
    // Below a folder that everybody may enter.
    root = mkdtempSync("/tmp/sms-image-");
    chmodSync(root, 0o755);
    mkdirSync(join(root, "state"));
    const npm = { encoding: "utf8", env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined } } as const;
    execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root], npm);
    const tarball = readdirSync(root).find((name) => name.endsWith(".tgz")) ?? "";
    const prefix = join(root, "opt/sms");
    const options = ["--global", "--offline", "--no-audit", "--no-fund", "--prefix", prefix];
    execFileSync("npm", ["install", ...options, join(root, tarball)], npm);
  }, 60_000);

  afterAll(() => rmSync(root, { recursive: true }));

  it("runs no privileged process", () => {
    expect(lines("USER")).toEqual(["65532:65532"]);
  });

  it("sends, and records runs, for any user without a home, where only the state can be written", async () => {
    const server = await startScriptedServer({ onRequest: accept() });
    const env = { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_image" };
    const send = "sms send --to +254712345678 --message Hi";
    const commands = `${send} --quiet && ${send} --to +254712345679 --run topup --yes --json && sms runs list --json && sms status`;
    const { stdout, stderr } = await inImage(stranger, commands, env);
    expect(stderr).not.toContain("Error");
    expect(stdout).toContain('"accepted":2');
    expect(server.requests).toHaveLength(3);
    await server.close();
  });
});
