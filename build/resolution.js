// How the bundles resolve modules.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** What libraries require at once and no command reaches, by the library. An empty module takes its place. */
const unreached = {
  // src/service/connection.ts switches HTTP/2 off, sends texts, and limits the head of an answer itself.
  undici: ["./client-h2.js", "../web/fetch/body.js", "node:http"],
  // The native client is another package, and no server is at Cloudflare.
  pg: ["./native", "pg-cloudflare"],
  // No command is a program of its own.
  commander: ["node:child_process"],
};

const empty = "\0empty";

const unreachedModules = {
  name: "unreached",
  resolveId: (id, importer = "") => {
    const [, library] = /[\\/]node_modules[\\/](\w+)[\\/]/.exec(importer) ?? [];
    return library !== undefined && unreached[library]?.includes(id) ? empty : undefined;
  },
  load: (id) => (id === empty ? "" : undefined),
};

/** The numbering plans of all countries as JSON, which V8 parses in half the time that it takes for the same code. */
const numberingPlans = {
  name: "numbering-plans",
  load: (id) => {
    if (!id.endsWith("metadata.max.json.js")) return undefined;
    return `export default JSON.parse(${JSON.stringify(readFileSync(id.replace(/\.js$/, ""), "utf8"))});`;
  },
};

/** A standalone program reads the files of dist from within itself, so that what reads them is no part of a chunk. */
const assets = {
  name: "assets",
  resolveId: (id) => (id === "./assets.ts" ? { id: "./assets.cjs", external: true } : undefined),
};

export const resolution = {
  // undici's index would load fetch, WebSocket, caches and mocks. By the path in the tree, since the order of modules
  // follows their paths.
  resolve: { alias: { undici: here("undici.js"), "env-paths": here("env-paths.js") }, symlinks: false },
  plugins: [unreachedModules, numberingPlans, assets],
};
