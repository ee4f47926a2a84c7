// node build/bundle.js [FOLDER] bundles src into dist, split so that a command loads only what it runs.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "rolldown";
import { manPage } from "./man.js";
import { licencesOf, packagesOf, sbomOf } from "./packages.js";
import { here, resolution } from "./resolution.js";

const dist = resolve(process.argv[2] ?? "dist");
rmSync(dist, { recursive: true, force: true });

const strict = {
  // The program would miss a package that is not installed only when it needs the package.
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
  checks: { bundlerTimings: false },
};

const library = /^.*?[\\/]node_modules[\\/]/;

const unmappedLibraries = {
  name: "unmapped-libraries",
  transform: { filter: { id: library }, handler: (code) => ({ code, map: { mappings: "" } }) },
};

const { output } = await build({
  input: { main: "src/main.ts" },
  external: ["./assets.cjs"],
  makeAbsoluteExternalsRelative: false,
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  transform: { target: "node20" },
  ...resolution,
  plugins: [...resolution.plugins, unmappedLibraries],
  ...strict,
  output: {
    dir: dist,
    format: "cjs",
    dynamicImportInCjs: false,
    codeSplitting: {
      includeDependenciesRecursively: true,
      groups: [
        { name: "main", test: /src.main\.ts$/, priority: 3 },
        { name: "program", test: /src.commands.program\.ts$/, priority: 2 },
        { name: "send", test: /src.sending.message.message\.ts$/, priority: 1 },
        { name: "workbook-libraries", test: /node_modules.(?:yauzl|saxen|pend|numfmt)\b/ },
        { name: "database-libraries", test: /node_modules.(?:pg|pg-[\w-]+|pgpass|postgres-[\w-]+|split2|xtend)\b/ },
      ],
    },
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
    // V8 reads a text of one byte a character in half the time.
    charset: "ascii",
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
  },
});

// The tests of start-up ask a map for the libraries in its chunk.
for (const { moduleIds, sourcemapFileName } of output) {
  if (!sourcemapFileName) continue;
  const map = JSON.parse(readFileSync(`${dist}/${sourcemapFileName}`, "utf8"));
  const modules = moduleIds.map((id) => id.replaceAll("\\", "/"));
  const libraries = modules.filter((id) => library.test(id)).map((id) => id.replace(library, "../node_modules/"));
  const { sources, names, mappings } = map;
  const parts = { sources: [...sources, ...libraries], names: mappings === "" ? [] : names };
  writeFileSync(`${dist}/${sourcemapFileName}`, JSON.stringify({ ...map, ...parts }));
}

const page = await build({
  input: { app: "src/sandbox/inbox/main.tsx" },
  platform: "browser",
  tsconfig: "src/sandbox/inbox/tsconfig.json",
  resolve: { symlinks: false },
  ...strict,
  output: { dir: `${dist}/inbox`, format: "es", entryFileNames: "[name].js", minify: true, comments: false },
});
const pageFiles = readdirSync("src/sandbox/inbox").filter((name) => /\.(?:css|html|svg)$/.test(name));
for (const name of pageFiles) cpSync(`src/sandbox/inbox/${name}`, `${dist}/inbox/${name}`);

const packages = packagesOf([...output, ...page.output]);
writeFileSync(`${dist}/THIRD-PARTY-LICENSES.txt`, licencesOf(packages));
writeFileSync(`${dist}/sbom.cdx.json`, sbomOf(packages));

await build({
  input: here("start.cjs"),
  platform: "node",
  external: ["./main.cjs"],
  output: { file: `${dist}/start.cjs`, format: "cjs", minify: true, comments: false },
});
cpSync(here("assets.cjs"), `${dist}/assets.cjs`);

cpSync("src/sandbox/openapi.yaml", `${dist}/sandbox/openapi.yaml`);
const texts = ["completion/sms.bash", "completion/sms.zsh", "completion/sms.fish"];
texts.push("help/recipients.txt", "help/templates.txt", "help/json.txt");
for (const path of texts) cpSync(`src/commands/${path}`, `${dist}/${path}`);

const manifest = JSON.parse(readFileSync(here("../package.json"), "utf8"));
writeFileSync(`${dist}/version.txt`, `${manifest.version}\n`);
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
const reference = execFileSync(process.execPath, [`${dist}/start.cjs`, "help", "--json"], { env, encoding: "utf8" });
writeFileSync(`${dist}/sms.1`, manPage(JSON.parse(reference), manifest));
