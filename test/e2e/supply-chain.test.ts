import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blockWith } from "../support/blocks.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/folders.ts";

const inputs = ["bin", "build", "src", "package.json", "package-lock.json", "tsconfig.json", "README.md", "LICENSE"];
const folder = temporaryFolder();

describe("the build", () => {
  const copy = () => join(folder, "a copy of the tree");

  it(
    "makes the same files from another path, in another time zone and language, and removes the files of older builds",
    needs("CI to be set"),
    () => {
      copyTree(copy());
      const env = { ...process.env, TZ: "Pacific/Apia", LANG: "sv_SE.UTF-8", LC_ALL: "sv_SE.UTF-8" };
      const stale = join(copy(), "dist", "older.cjs");
      mkdirSync(join(copy(), "dist"));
      writeFileSync(stale, "");
      execFileSync(process.execPath, ["build/bundle.js"], { cwd: copy(), env });

      expect(existsSync(stale)).toBe(false);
      const own = contentsOf("dist");
      const others = contentsOf(join(copy(), "dist"));

      expect(own.size).toBeGreaterThan(50);
      expect([...others.keys()]).toEqual([...own.keys()]);
      expect([...own].filter(([file, text]) => others.get(file) !== text).map(([file]) => file)).toEqual([]);
      expect([...own].filter(([, text]) => text.includes(process.cwd())).map(([file]) => file)).toEqual([]);
    },
  );

  it(
    "verifies by what SECURITY.md says what the release workflow packs",
    needs("bash", "sha256sum", "CI to be set"),
    () => {
      const tagged = join(folder, "tagged");
      copyTree(tagged);
      cpSync("dist", join(tagged, "dist"), { recursive: true });
      const release = join(folder, "release");
      mkdirSync(release);
      writeFileSync(join(release, "notes.md"), "");
      const workflow = parse(readFileSync(".github/workflows/release.yml", "utf8")) as {
        readonly jobs: {
          readonly package: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] };
        };
      };
      const pack = workflow.jobs.package.steps.find(({ name }) => name === "Pack")?.run ?? "";
      asBuilt(pack, tagged);

      cpSync(join(release, "SHA256SUMS"), join(copy(), "SHA256SUMS"));
      const verified = asBuilt(blockWith("SECURITY.md", "sha256sum"), copy());

      expect(verified).toMatch(/^\.\/sms-cli-[\d.]+\.tgz: OK$/m);
    },
  );
});

interface Component {
  readonly type: string;
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly expression: string }[];
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

describe("dist/sbom.cdx.json", () => {
  const text = readFileSync("dist/sbom.cdx.json", "utf8");
  const { metadata, components, dependencies, ...head } = JSON.parse(text) as {
    readonly metadata: { readonly component: Component };
    readonly components: readonly Component[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  };
  const own = metadata.component;

  it("is CycloneDX, of this version, without a time or a serial number", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    expect(head).toEqual({
      $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
    });
    expect(metadata).toEqual({ component: own });
    expect(own).toEqual({
      type: "application",
      "bom-ref": `pkg:npm/sms-cli@${version}`,
      name: "sms-cli",
      version,
      purl: `pkg:npm/sms-cli@${version}`,
      licenses: [{ expression: "MIT" }],
    });
  });

  it("has exactly the packages of THIRD-PARTY-LICENSES.txt, and those of the source maps", () => {
    const licences = readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8").split(`\n${"-".repeat(80)}\n\n`);
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    expect(listed).toEqual(licences.map((licence) => licence.split("\n")[0]));
    expect(listed.length).toBeGreaterThan(10);
    expect(new Set(listed).size).toBe(listed.length);

    const sources = [...contentsOf("dist")]
      .filter(([file]) => file.endsWith(".map"))
      .flatMap(([, map]) => (JSON.parse(Buffer.from(map, "latin1").toString()) as { sources: string[] }).sources);
    const bundled = sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    const names = new Set(components.map(({ name }) => name));

    expect([...new Set(bundled)].filter((name) => !names.has(name))).toEqual([]);
  });

  it("names, locates, licenses and hashes each package", () => {
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity?: string }>>;
    };
    for (const component of components) {
      const { name, version } = component;
      const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
      const installed = Object.entries(lock.packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
      const integrity = installed.find(([, one]) => one.version === version)?.[1].integrity;
      const sha512 = Buffer.from(component.hashes[0]?.content ?? "", "hex").toString("base64");
      expect(component).toEqual({
        type: "library",
        "bom-ref": purl,
        name,
        version,
        purl,
        licenses: [{ expression: expect.stringMatching(/^(?:MIT|ISC|BSD-3-Clause)$/) }],
        hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      });
      expect(`sha512-${sha512}`).toBe(integrity);
    }
    const refs = components.map((component) => component["bom-ref"]);

    expect(dependencies).toEqual([{ ref: own["bom-ref"], dependsOn: refs }]);
  });
});

function contentsOf(dist: string): ReadonlyMap<string, string> {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(files.map((file) => [file.slice(join(dist).length), readFileSync(file, "latin1")]));
}

function copyTree(path: string): void {
  for (const name of inputs) cpSync(name, join(path, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(path, "node_modules"), "junction");
}

/** Runs a script in a tree that is installed and built, so that npm need do neither; returns its output. */
function asBuilt(script: string, tree: string): string {
  const ready = 'npm() { case $1 in ci) ;; *) command npm "$@" --ignore-scripts --silent ;; esac; }';
  const env = { ...process.env, RUNNER_TEMP: folder };
  return execFileSync("bash", ["-euo", "pipefail", "-c", `${ready}\n${script}`], { cwd: tree, env, encoding: "utf8" });
}
