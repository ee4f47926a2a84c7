import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path/posix";
import { here } from "./resolution.js";

/** Throws if a licence is missing. */
export function packagesOf(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds.map((id) => id.replaceAll("\\", "/")));
  const folders = new Map();
  for (const id of modules) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
    if (folder !== undefined) folders.set(folder, [...(folders.get(folder) ?? []), id]);
  }
  const locked = Object.entries(ownJson("package-lock.json").packages);
  // `localeCompare` would follow the language of the machine.
  return [...folders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, ids]) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const files = licenceFiles(folder, ids);
      if (files.length === 0 || !license) throw new Error(`${name} has no licence, so it cannot be bundled`);
      const lock = locked.find(([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version);
      if (lock === undefined) throw new Error(`package-lock.json has no ${name} ${version}: run npm ci`);
      const text = files.map((file) => readFileSync(file, "utf8").trim()).join("\n\n");
      return { name, version, license, text, integrity: lock[1].integrity };
    });
}

function licenceFiles(folder, ids) {
  const folders = new Set([folder]);
  for (const id of ids) {
    for (let at = dirname(id); at.length > folder.length; at = dirname(at)) folders.add(at);
  }
  const files = [...folders]
    .flatMap((path) => readdirSync(path).map((entry) => `${path}/${entry}`))
    .filter((path) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(basename(path)))
    .toSorted((a, b) => (a < b ? -1 : 1));
  const added = here(`licences/${basename(folder)}.txt`);
  return existsSync(added) ? [...files, added] : files;
}

export function licencesOf(packages) {
  return packages.map(({ name, version, text }) => `${name} ${version}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}

/** The CycloneDX list has no time and no serial number, so that each build makes the same. */
export function sbomOf(packages) {
  const program = component("application", ownJson("package.json"));
  const components = packages.map((library) => {
    const [algorithm, digest] = library.integrity.split("-");
    const hash = { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") };
    return { ...component("library", library), hashes: [hash] };
  });
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: program },
    components,
    dependencies: [{ ref: program.purl, dependsOn: components.map(({ purl }) => purl) }],
  };
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

function component(type, { name, version, license }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type, "bom-ref": purl, name, version, purl, licenses: [{ expression: license }] };
}

function ownJson(file) {
  return JSON.parse(readFileSync(here(`../${file}`), "utf8"));
}
