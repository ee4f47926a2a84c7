// Bundles src into a folder, dist by default, split so that a command loads only what it runs: node build/bundle.js [FOLDER]
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { build } from "rolldown";
import { licencesOf, packagesOf, sbomOf } from "./packages.js";
import { here, resolution } from "./resolution.js";

const dist = resolve(process.argv[2] ?? "dist");

const strict = {
  // Such as a package that is not installed, which the program would only miss when it needs it.
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
  // A busy machine says nothing about what is built.
  checks: { bundlerTimings: false },
};

const { output } = await build({
  input: {
    main: "src/main.ts",
    "ready-texts": "src/commands/help/ready-texts.ts",
  },
  external: ["./assets.cjs"],
  makeAbsoluteExternalsRelative: false,
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  ...resolution,
  ...strict,
  output: {
    dir: dist,
    format: "cjs",
    // Node starts CommonJS faster by require() than by import().
    dynamicImportInCjs: false,
    codeSplitting: {
      includeDependenciesRecursively: true,
      groups: [
        { name: "main", test: /src.main\.ts$/, priority: 3 },
        { name: "program", test: /src.commands.program\.ts$/, priority: 2 },
        { name: "send", test: /src.commands.send.message\.ts$/, priority: 1 },
      ],
    },
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
    // V8 reads a text of one byte a character in half the time.
    charset: "ascii",
    sourcemap: true,
    sourcemapExcludeSources: true,
    // The same if node_modules is a link to another folder.
    sourcemapPathTransform: (source) => source.replace(/^.*?[\\/]node_modules[\\/]/, "../node_modules/"),
    comments: false,
  },
});
const built = new Set(output.map(({ fileName }) => fileName));

// A stack trace is about our code. For chunks of libraries alone a map only lists them: their mappings were a fifth of the
// package.
for (const name of [...built].filter((file) => file.endsWith(".map"))) {
  const map = JSON.parse(readFileSync(`${dist}/${name}`, "utf8"));
  if (map.sources.some((source) => source.startsWith("../src/"))) continue;
  writeFileSync(`${dist}/${name}`, JSON.stringify({ ...map, names: [], mappings: "" }));
}

// The sandbox's page, which shares nothing with the program.
const page = await build({
  input: { app: "src/inbox/main.tsx" },
  platform: "browser",
  tsconfig: "src/inbox/tsconfig.json",
  resolve: { symlinks: false },
  ...strict,
  output: { dir: `${dist}/inbox`, format: "es", entryFileNames: "[name].js", minify: true, comments: false },
});
const pageFiles = readdirSync("src/inbox").filter((name) => /\.(?:css|html|svg)$/.test(name));
for (const name of pageFiles) cpSync(`src/inbox/${name}`, `${dist}/inbox/${name}`);
built.add("inbox");

const packages = packagesOf([...output, ...page.output]);
emit("THIRD-PARTY-LICENSES.txt", licencesOf(packages));
emit("sbom.cdx.json", sbomOf(packages));

// The entry, in one file.
await build({
  input: here("start.cjs"),
  platform: "node",
  external: ["./main.cjs"],
  output: { file: `${dist}/start.cjs`, format: "cjs", minify: true, comments: false },
});
built.add("start.cjs");
emit("assets.cjs", readFileSync(here("assets.cjs")));

// The description of the sandbox.
cpSync("src/sandbox/openapi.yaml", `${dist}/sandbox/openapi.yaml`);
built.add("sandbox");

// As wide as without a terminal. entry.cjs looks for a command line here first.
const { readyTexts } = createRequire(import.meta.url)(`${dist}/ready-texts.cjs`);
const texts = await readyTexts({ stdout: { columns: () => 80 } });
mkdirSync(`${dist}/ready`, { recursive: true });
for (const [name, text] of Object.entries(texts)) emit(`ready/${name}`, text);
built.add("ready");
for (const file of ["ready-texts.cjs", "ready-texts.cjs.map"]) built.delete(file);

// Last, so that a program that runs meanwhile finds its files.
leaveOnly(dist, built);
leaveOnly(`${dist}/ready`, new Set(Object.keys(texts)));
leaveOnly(`${dist}/inbox`, new Set(["app.js", ...pageFiles]));
leaveOnly(`${dist}/sandbox`, new Set(["openapi.yaml"]));

function emit(name, text) {
  writeFileSync(`${dist}/${name}`, text);
  built.add(name);
}

function leaveOnly(folder, names) {
  for (const name of readdirSync(folder)) {
    if (!names.has(name)) rmSync(`${folder}/${name}`, { recursive: true });
  }
}
