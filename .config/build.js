// Bundles src into dist, split so that each command loads only what it walks on, with the licences of what it holds.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

/** HTTP/2 and fetch are switched off, so what undici has of them is left out. */
const withoutHttp2AndFetch = {
  name: "without-http2-and-fetch",
  load(id) {
    return /undici\/lib\/(dispatcher\/client-h2|web\/fetch\/body)\.js$/.test(id)
      ? "module.exports = {};"
      : undefined;
  },
};

/** Parses what is known of a country's numbers when it is first asked for: a send asks for one country of 240. */
const phoneMetadataOnDemand = {
  name: "phone-metadata-on-demand",
  load(id) {
    if (!id.endsWith("libphonenumber-js/metadata.max.json.js")) return undefined;
    const { countries, ...others } = JSON.parse(readFileSync(id.replace(/\.js$/, ""), "utf8"));
    const texts = Object.entries(countries).map(([country, metadata]) => [country, JSON.stringify(metadata)]);
    return `const texts = ${JSON.stringify(Object.fromEntries(texts))};
const parsed = {};
const countries = new Proxy(texts, {
  get: (_, country) => (parsed[country] ??= texts[country] && JSON.parse(texts[country])),
});
export default { ...${JSON.stringify(others)}, countries };`;
  },
};

const { output } = await build({
  input: { main: "src/main.ts" },
  platform: "node",
  resolve: { alias: { undici: fileURLToPath(new URL("undici.js", import.meta.url)) } },
  logLevel: "warn",
  plugins: [withoutHttp2AndFetch, phoneMetadataOnDemand],
  output: {
    dir: "dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
    sourcemap: true,
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

// Removed only now, so that a program that runs meanwhile never finds its files gone.
const built = new Set([notices, page, ...output.map(({ fileName }) => fileName)]);
for (const file of readdirSync("dist")) if (!built.has(file)) rmSync(`dist/${file}`, { recursive: true });
