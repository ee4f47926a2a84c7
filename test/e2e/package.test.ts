import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// npm is a script on Windows, which only a shell runs.
const npm = { encoding: "utf8", shell: process.platform === "win32" } as const;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sms-package-"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], npm);
  const [tarball = ""] = readdirSync(folder);
  execFileSync(
    "npm",
    ["install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, join(folder, tarball)],
    npm,
  );
}, 60_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function installed(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(join(folder, "node_modules", ".bin", "sms"), args, npm);
  return { status, stdout, stderr };
}

test("the packed tarball, installed into an empty folder, sends a message", () => {
  const { status, stdout, stderr } = installed(
    "send",
    "--sandbox",
    "--to",
    "+254712345678",
    "--message",
    "Hello",
    "--json",
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, to: "+254712345678", mode: "sandbox" });
});

test("its sandbox has the page that shows what it took, and all that the page asks for", async () => {
  const args = ["sandbox", "--port", "0", "--json"];
  const sandbox = spawn(join(folder, "node_modules", ".bin", "sms"), args, { shell: npm.shell });
  const [line] = await once(sandbox.stdout, "data");
  const { url } = JSON.parse(String(line)) as { url: string };
  const page = await (await fetch(url)).text();
  const asked = [...page.matchAll(/(?:src|href)="(\/[^"]+\.\w+)"/g)].map(([, path = ""]) => path);
  const statuses = await Promise.all(asked.map(async (path) => (await fetch(url + path)).status));
  sandbox.kill();
  await once(sandbox, "close");
  expect(asked).toContain("/_sandbox/inbox/app.js");
  expect(statuses).toEqual(asked.map(() => 200));
});

test("it brings nothing but itself: no dependency, nothing beside bin and dist", () => {
  expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "sms-cli",
  ]);
  expect(readdirSync(join(folder, "node_modules", "sms-cli")).sort()).toEqual([
    "LICENSE",
    "README.md",
    "bin",
    "dist",
    "package.json",
  ]);
  expect(readdirSync(join(folder, "node_modules", "sms-cli", "bin"))).toEqual(["package.json", "sms.js"]);
});
