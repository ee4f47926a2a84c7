import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { temporaryFolder } from "../support/folders.ts";

// On Windows npm is a script, which needs a shell.
// Node 22 and newer warn if both variables are set, and vitest sets one of them.
const env = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined };
const npm = { encoding: "utf8", shell: process.platform === "win32", env } as const;
const folder = temporaryFolder();
let tarball: string;

function installed(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(join(folder, "node_modules", ".bin", "sms"), args, npm);
  return { status, stdout, stderr };
}

async function startInstalledSandbox() {
  const args = ["sandbox", "--port", "0", "--json"];
  const sandbox = spawn(join(folder, "node_modules", ".bin", "sms"), args, { shell: npm.shell });
  const [line] = await once(sandbox.stdout, "data");
  const { url } = JSON.parse(String(line)) as { url: string };
  const end = async () => {
    sandbox.kill();
    await once(sandbox, "close");
  };
  return { url, end };
}

/** Runs a line of a shell as the image does, with its variables and mounts, for a user who has no home. */
async function inImage(line: string, service: Readonly<Record<string, string>>) {
  // Below a folder that everybody may enter.
  const root = mkdtempSync("/tmp/sms-image-");
  onTestFinished(() => rmSync(root, { recursive: true }));
  chmodSync(root, 0o755);
  for (const path of ["state", "opt/sms/bin"]) mkdirSync(join(root, path), { recursive: true });
  cpSync(join(folder, "node_modules/sms-cli"), join(root, "opt/sms/lib/node_modules/sms-cli"), { recursive: true });
  symlinkSync("../lib/node_modules/sms-cli/bin/sms.js", join(root, "opt/sms/bin/sms"));
  const [, assigned = ""] = /^ENV (.*)$/m.exec(readFileSync("build/Dockerfile", "utf8")) ?? [];
  const own = Object.fromEntries(
    assigned.split(" ").map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      // The path of a person may have spaces.
      return [name, value.replace(/^\//, `${root}/`).replace("$PATH", process.env["PATH"] ?? "")];
    }),
  );
  const stranger = ["--reuid=12345", "--regid=12345", "--clear-groups", "--no-new-privs", "--bounding-set=-all"];
  const mounts = [
    'mount --bind "$0" "$0"',
    'mount -o remount,bind,ro "$0"',
    'mount -t tmpfs -o mode=1777 none "$0/state"',
    'exec setpriv "$@"',
  ];
  const words = ["--mount", "sh", "-c", mounts.join(" && "), root, ...stranger, "sh", "-c", line];
  return promisify(execFile)("unshare", words, { env: { ...own, ...service } });
}

describe("the npm package", needs("CI to be set"), () => {
  beforeAll(() => {
    execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], npm);
    tarball = join(folder, readdirSync(folder)[0] ?? "");
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, tarball], npm);
  });

  test("the packed tarball, installed into an empty folder, sends a message", () => {
    const send = ["send", "--sandbox", "--to", "+254712345678", "--message", "Hello", "--json"];
    const { status, stdout, stderr } = installed(...send);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, to: "+254712345678", mode: "sandbox" });
  });

  test("its sandbox serves the inbox page with all its files", async () => {
    const { url, end } = await startInstalledSandbox();
    const page = await (await fetch(url)).text();
    const asked = [...page.matchAll(/(?:src|href)="(\/[^"]+\.\w+)"/g)].map(([, path = ""]) => path);
    const statuses = await Promise.all(asked.map(async (path) => (await fetch(url + path)).status));
    await end();

    expect(asked).toContain("/_sandbox/inbox/app.js");
    expect(statuses).toEqual(asked.map(() => 200));
  });

  test("it has no dependencies, only bin and dist, 850 kB packed and 2.55 MB unpacked, and a manual page for man", () => {
    const names = (path: string) =>
      readdirSync(join(folder, "node_modules", path)).filter((name) => !name.startsWith("."));
    const own = join(folder, "node_modules", "sms-cli");
    const unpacked = names("sms-cli/dist").map((file) => statSync(join(own, "dist", file)).size);
    const { man } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { readonly man: string[] };

    expect(names("")).toEqual(["sms-cli"]);
    expect(names("sms-cli").sort()).toEqual(["LICENSE", "README.md", "bin", "dist", "package.json"]);
    expect(names("sms-cli/bin").sort()).toEqual(["package.json", "sms.js"]);
    expect(statSync(tarball).size).toBeLessThan(850_000);
    expect(unpacked.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_550_000);
    expect(readFileSync(join(own, ...man), "utf8")).toMatch(/^\.TH SMS 1/);
  });

  test("it has the licence of each bundled package", () => {
    const dist = join(folder, "node_modules", "sms-cli", "dist");
    const sbom = JSON.parse(readFileSync(join(dist, "sbom.cdx.json"), "utf8")) as { components: { name: string }[] };
    const packages = sbom.components.map(({ name }) => name);
    const licences = readFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const texts = packages.flatMap((name) => {
      const files = readdirSync(join("node_modules", name)).filter((file) => /licen[cs]e|notice|copying/i.test(file));
      return files.map((file) => ({ name, text: readFileSync(join("node_modules", name, file), "utf8") }));
    });

    // pg-types and pgpass have theirs in the README: build/licences.
    expect(texts.length).toBeGreaterThanOrEqual(packages.length - 2);
    expect(texts.filter(({ text }) => !licences.includes(text.trim())).map(({ name }) => name)).toEqual([]);
    expect(licences).toMatch(/^llhttp, .*:\n\n.*\n\nCopyright Fedor Indutny, 2018\.$/m);
  });

  test(
    "the image sends, and records runs, for any user, where only the state can be written",
    needs("root", "setpriv", "mount namespaces"),
    async () => {
      const server = await startScriptedServer({ onRequest: accept() });
      const service = { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_image" };
      const send = "sms send --to +254712345678 --message Hi";
      const run = `${send} --to +254712345679 --run topup --yes --json`;

      const { stdout, stderr } = await inImage(`${send} --quiet && ${run} && sms runs list && sms status`, service);

      expect(stderr).not.toContain("Error");
      expect(stdout).toContain('"accepted":2');
      expect(server.requests).toHaveLength(3);
    },
  );
});
