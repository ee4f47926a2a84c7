// Bundles src into dist, split so that each command loads only what it walks on, with the licences of what it holds.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { amendments } from "./amendments.js";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

const { output } = await build({
  input: {
    main: "src/main.ts",
    "phone-parser": here("phone-parser.js"),
    "help-pages": "src/commands/help-pages.ts",
  },
  external: ["./phone-parser.cjs"],
  makeAbsoluteExternalsRelative: false,
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  resolve: { alias: { undici: here("undici.js"), "libphonenumber-js/max$": here("phone-numbers.js") } },
  logLevel: "warn",
  plugins: [amendments()],
  output: {
    dir: "dist",
    format: "cjs",
    codeSplitting: {
      includeDependenciesRecursively: true,
      groups: [
        { name: "main", test: /src.main\.ts$/, priority: 3 },
        { name: "program", test: /src.commands.program\.ts$/, priority: 2 },
        { name: "send", test: /src.commands.send-one\.ts$/, priority: 1 },
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

const packages = new Set(
  output.flatMap(({ moduleIds = [] }) =>
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  ),
);
const licenses = [...packages]
  .toSorted((a, b) => a.localeCompare(b))
  .map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file, so it cannot be bundled`);
    return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  });
const notices = "THIRD-PARTY-LICENSES.txt";
writeFileSync(`dist/${notices}`, licenses.join(`\n${"-".repeat(80)}\n\n`));

// The page of the sandbox goes as it is to where `src/sandbox/inbox-page.ts` looks for it.
const page = "inbox";
cpSync(`src/sandbox/${page}`, `dist/${page}`, { recursive: true, filter: (path) => !path.endsWith(".json") });

// As wide as where there is no terminal.
const stdout = { columns: () => 80 };
const { helpPages } = createRequire(import.meta.url)("../dist/help-pages.cjs");
mkdirSync("dist/help", { recursive: true });
const pages = helpPages({ stdout });
for (const [name, text] of Object.entries(pages)) writeFileSync(`dist/help/${name}`, text);
for (const name of readdirSync("dist/help")) if (!Object.hasOwn(pages, name)) rmSync(`dist/help/${name}`);

// Removed only now, so that a program that runs meanwhile never finds its files gone.
const built = new Set([notices, page, "help", ...output.map(({ fileName }) => fileName)]);
for (const file of ["help-pages.cjs", "help-pages.cjs.map"]) built.delete(file);
for (const file of readdirSync("dist")) if (!built.has(file)) rmSync(`dist/${file}`, { recursive: true });
