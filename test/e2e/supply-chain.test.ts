import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/folders.ts";

it(
  "the build makes the same files from another path, in another time zone and language, and removes older ones",
  needs("CI to be set"),
  () => {
    const copy = join(temporaryFolder(), "a copy of the tree");
    const parts = ["bin", "build", "src", "package.json", "package-lock.json", "tsconfig.json", "README.md", "LICENSE"];
    for (const name of parts) cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"), "junction");
    const stale = join(copy, "dist", "older.cjs");
    mkdirSync(join(copy, "dist"));
    writeFileSync(stale, "");

    const env = { ...process.env, TZ: "Pacific/Apia", LANG: "sv_SE.UTF-8", LC_ALL: "sv_SE.UTF-8" };
    execFileSync(process.execPath, ["build/bundle.js"], { cwd: copy, env });

    const [own, others] = [contentsOf("dist"), contentsOf(join(copy, "dist"))];
    expect(existsSync(stale)).toBe(false);
    expect(own.size).toBeGreaterThan(50);
    expect([...others.keys()]).toEqual([...own.keys()]);
    expect([...own].filter(([file, text]) => others.get(file) !== text).map(([file]) => file)).toEqual([]);
    expect([...own].filter(([, text]) => text.includes(process.cwd())).map(([file]) => file)).toEqual([]);
  },
);

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const sbom = read("dist/sbom.cdx.json");
const components: readonly { readonly name: string; readonly version: string }[] = sbom.components;

it("dist/sbom.cdx.json has exactly the packages of THIRD-PARTY-LICENSES.txt, and those of the source maps", () => {
  const licences = readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8").split(`\n${"-".repeat(80)}\n\n`);
  const listed = components.map((component) => `${component.name} ${component.version}`);
  const sources = [...contentsOf("dist")]
    .filter(([file]) => file.endsWith(".map"))
    .flatMap(([, map]) => (JSON.parse(Buffer.from(map, "latin1").toString()) as { sources: string[] }).sources);
  const bundled = sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const names = new Set(components.map(({ name }) => name));

  expect(listed).toEqual(licences.map((licence) => licence.split("\n")[0]));
  expect(listed.length).toBeGreaterThan(10);
  expect(new Set(listed).size).toBe(listed.length);
  expect([...new Set(bundled)].filter((name) => !names.has(name))).toEqual([]);
});

it("dist/sbom.cdx.json names this version, and names, locates, licenses and hashes each package as the lock file does", () => {
  const packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>> =
    read("package-lock.json").packages;

  expect(sbom.metadata.component).toMatchObject({ name: "sms-cli", version: read("package.json").version });
  expect(components).toEqual(
    components.map(({ name, version: its }) => {
      const purl = `pkg:npm/${name.replace("@", "%40")}@${its}`;
      const installed = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
      const integrity = installed.find(([, entry]) => entry.version === its)?.[1].integrity ?? "";
      const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
      const licenses = [{ expression: expect.stringMatching(/^(?:MIT|ISC|BSD-3-Clause)$/) as unknown }];
      const hashes = [{ alg: "SHA-512", content }];
      return { type: "library", "bom-ref": purl, name, version: its, purl, licenses, hashes };
    }),
  );
});

function contentsOf(dist: string): ReadonlyMap<string, string> {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(files.map((file) => [file.slice(join(dist).length), readFileSync(file, "latin1")]));
}
