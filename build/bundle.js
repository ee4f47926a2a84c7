// Bundles src into dist, split so that each command loads only what it walks on, with the licences of what it holds.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { amendments } from "./startup/amendments.js";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

const { output } = await build({
  input: {
    main: "src/main.ts",
    "phone-parser": here("startup/phone-parser.js"),
    "ready-texts": "src/commands/help/ready-texts.ts",
  },
  external: ["./phone-parser.cjs"],
  makeAbsoluteExternalsRelative: false,
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  resolve: {
    alias: { undici: here("startup/undici.js"), "libphonenumber-js/max$": here("startup/phone-numbers.js") },
  },
  logLevel: "warn",
  plugins: [amendments()],
  output: {
    dir: "dist",
    format: "cjs",
    // bin/chunks.js runs them as scripts, which have no import().
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

// By it bin/chunks.js knows the code that it has kept from the code of another build.
const identity = "build-id";
const digest = createHash("sha256");
for (const { code } of output) if (code !== undefined) digest.update(code);
writeFileSync(`dist/${identity}`, digest.digest("hex"));

// The page of the sandbox goes as it is to where `src/sandbox/inbox-page.ts` looks for it.
const page = "inbox";
cpSync(`src/sandbox/${page}`, `dist/${page}`, { recursive: true, filter: (path) => !path.endsWith(".json") });

// As wide as where there is no terminal. bin/sms.js looks for a command line here first.
const ready = "ready";
const stdout = { columns: () => 80 };
const { readyTexts } = createRequire(import.meta.url)("../dist/ready-texts.cjs");
const texts = readyTexts({ stdout });
mkdirSync(`dist/${ready}`, { recursive: true });
for (const [name, text] of Object.entries(texts)) writeFileSync(`dist/${ready}/${name}`, text);

// Removed only now, so that a program that runs meanwhile never finds its files gone.
const built = new Set([notices, identity, page, ready, ...output.map(({ fileName }) => fileName)]);
for (const file of ["ready-texts.cjs", "ready-texts.cjs.map"]) built.delete(file);
leaveOnly("dist", built);
leaveOnly(`dist/${ready}`, new Set(Object.keys(texts)));

function leaveOnly(folder, names) {
  for (const name of readdirSync(folder)) {
    if (!names.has(name)) rmSync(`${folder}/${name}`, { recursive: true });
  }
}
