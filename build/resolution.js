import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const here = (file) => fileURLToPath(new URL(file, import.meta.url));

const unreached = {
  // src/service/connection.ts turns HTTP/2 off, sends texts, and limits the head of an answer.
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

/** A send needs one of 250 numbering plans, so each is parsed when a command first asks for the plan. */
const numberingPlans = {
  name: "numbering-plans",
  load(id) {
    if (!id.endsWith("metadata.max.json.js")) return undefined;
    const { countries, nonGeographic, ...others } = JSON.parse(readFileSync(id.replace(/\.js$/, ""), "utf8"));
    let source = "";
    const placesOf = (plans) =>
      Object.entries(plans).map(([name, plan]) => {
        const start = source.length;
        source += `${JSON.stringify(plan)}\n`;
        return [name, [start, source.length]];
      });
    const places = [countries, nonGeographic].map((plans) => Object.fromEntries(placesOf(plans)));
    this.emitFile({ type: "asset", fileName: "numbering-plans.txt", source });
    return `import { readAsset } from "./assets.ts";
const file = readAsset("numbering-plans.txt");
const lazily = (places) => {
  const plans = {};
  const read = (name) =>
    Object.hasOwn(places, name) ? (plans[name] = JSON.parse(file.toString("latin1", ...places[name]))) : undefined;
  return new Proxy(places, { get: (_, name) => plans[name] ?? read(name) });
};
const [others, countries, nonGeographic] = JSON.parse(${JSON.stringify(JSON.stringify([others, ...places]))});
export default { ...others, countries: lazily(countries), nonGeographic: lazily(nonGeographic) };`;
  },
};

/** The scripts and dependencies of the manifest would slow every start. */
const manifest = {
  name: "manifest",
  load(id) {
    if (id !== here("../package.json")) return undefined;
    const { version, bugs } = JSON.parse(readFileSync(id, "utf8"));
    return { code: `export default ${JSON.stringify({ version, bugs })};`, moduleType: "js" };
  },
};

/** A standalone program reads dist from within itself, so that no chunk may have the reader. */
const assets = {
  name: "assets",
  resolveId: (id) => (/[./]+\/assets\.ts$/.test(id) ? { id: "./assets.cjs", external: true } : undefined),
};

export const resolution = {
  // undici's index would load fetch, WebSocket and mocks. Modules are ordered by their paths, so this is a path.
  resolve: {
    alias: {
      undici: here("undici.js"),
      "@commander-js/extra-typings": here("commander.js"),
      "env-paths": here("env-paths.js"),
    },
    symlinks: false,
  },
  plugins: [unreachedModules, numberingPlans, manifest, assets],
};
