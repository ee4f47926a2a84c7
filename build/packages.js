// What the bundle contains of other people's: the packages that its modules are from, their licences, and the SBOM.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The packages of the chunks, each { name, version, license, text, integrity }. Throws if a licence is missing. */
export function packagesOf(output) {
  const folders = output.flatMap(({ moduleIds = [] }) =>
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0] ?? []),
  );
  const locked = Object.entries(own("package-lock.json").packages);
  // By code units, because localeCompare follows the language of the machine.
  return [...new Set(folders)]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = readdirSync(folder)
        .toSorted()
        .find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined || !license) throw new Error(`${name} has no licence, so it cannot be bundled`);
      const lock = locked.find(([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version);
      if (lock === undefined) throw new Error(`package-lock.json has no ${name} ${version}: run npm ci`);
      const text = readFileSync(`${folder}/${file}`, "utf8").trim();
      return { name, version, license, text, integrity: lock[1].integrity };
    });
}

export function licencesOf(packages) {
  return packages.map(({ name, version, text }) => `${name} ${version}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}

/** A bill of materials in the form of CycloneDX. It has no time and no serial number, so each build makes the same. */
export function sbomOf(packages) {
  const program = component("application", own("package.json"));
  const components = packages.map((one) => {
    const [algorithm, digest] = one.integrity.split("-");
    const hash = { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") };
    return { ...component("library", one), hashes: [hash] };
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

function own(file) {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8"));
}
