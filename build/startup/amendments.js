// What the bundle leaves out of the libraries. Each entry names its file, and one that does not fit it any more ends the build.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const assertion = `require(${JSON.stringify(fileURLToPath(new URL("assertion.cjs", import.meta.url)))})`;

/** Passages that stand in their file exactly once, and what is put in their place. */
const passages = [
  // It knows messages of Node's own client by it, and Node's limit on headers, where transport.ts had none.
  ["undici/lib/core/util.js", "require('node:http')", "{}"],
  ["undici/lib/dispatcher/client.js", "require('node:http')", "undefined"],
  // transport.ts switches HTTP/2 off, and gives no body that fetch would have to read.
  ["undici/lib/dispatcher/client.js", "require('./client-h2.js')", "undefined"],
  ["undici/lib/dispatcher/client-h1.js", "require('../web/fetch/body.js')", "{}"],
  // Node's own can say how two values differ, and takes as long to load as the rest of the client.
  ["undici/lib/core/connect.js", "require('node:assert')", assertion],
  ["undici/lib/core/request.js", "require('node:assert')", assertion],
  ["undici/lib/core/util.js", "require('node:assert')", assertion],
  ["undici/lib/dispatcher/client-h1.js", "require('node:assert')", assertion],
  ["undici/lib/dispatcher/client.js", "require('node:assert')", assertion],
  // For commands that are programs of their own.
  ["commander/lib/command.js", "require('node:child_process')", "undefined"],
];

/** Files replaced whole, by what `replace` makes of them; it may give the plugin further files to emit. */
const replacements = [
  { file: "undici/lib/llhttp/llhttp-wasm.js", replace: parserInFile },
  { file: "undici/lib/llhttp/llhttp_simd-wasm.js", replace: parserInFile },
  { file: "undici/lib/llhttp/constants.js", replace: parserConstants },
  { file: "libphonenumber-js/metadata.max.json.js", replace: numberingPlansInFile },
];

/** A plugin that makes these changes. */
export function amendments() {
  const unseen = new Set([...passages, ...replacements]);
  return {
    name: "amendments",
    load(id) {
      const path = id.replaceAll("\\", "/");
      const replacement = replacements.find(({ file }) => path.endsWith(`/node_modules/${file}`));
      if (replacement !== undefined) {
        unseen.delete(replacement);
        return replacement.replace(id, (fileName, source) =>
          this.emitFile({ type: "asset", fileName, source }),
        );
      }
      const own = passages.filter(([file]) => path.endsWith(`/node_modules/${file}`));
      if (own.length === 0) return undefined;
      let text = readFileSync(id, "utf8");
      for (const passage of own) {
        const [before, after, ...others] = text.split(passage[1]);
        if (after === undefined || others.length > 0) continue;
        text = before + passage[2] + after;
        unseen.delete(passage);
      }
      return text;
    },
    buildEnd(error) {
      if (error !== undefined || unseen.size === 0) return;
      const names = [...unseen].map((entry) =>
        Array.isArray(entry) ? entry.slice(0, 2).join(": ") : entry.file,
      );
      throw new Error(`amendments.js does not fit what is installed:\n${names.join("\n")}`);
    },
  };
}

/** A parser is read as it is when there is an answer to parse, not decoded from a text that every start reads. */
function parserInFile(id, emit) {
  const name = id.includes("simd") ? "llhttp-simd.wasm" : "llhttp.wasm";
  emit(name, require(id));
  return `module.exports = require("node:fs").readFileSync(require("node:path").join(__dirname, "${name}"));`;
}

/** Of the parser's tables the client uses two. */
function parserConstants(id) {
  const client = readFileSync(id.replace("llhttp/constants.js", "dispatcher/client-h1.js"), "utf8");
  const used = new Set([...client.matchAll(/\bconstants\.(\w+)/g)].map(([, name]) => name));
  const { ERROR, TYPE, ...others } = require(id);
  const lost = [...used].filter((name) => name in others);
  if (lost.length > 0)
    throw new Error(`undici's client uses constants that amendments.js leaves out: ${lost.join(", ")}`);
  return `module.exports = ${JSON.stringify({ ERROR, TYPE })};`;
}

/** A country's plan is read when it is first asked for: a send asks for one of 240. */
function numberingPlansInFile(id, emit) {
  const { countries, ...others } = JSON.parse(readFileSync(id.replace(/\.js$/, ""), "utf8"));
  const places = {};
  let text = "";
  for (const [country, plan] of Object.entries(countries)) {
    const json = JSON.stringify(plan);
    places[country] = [text.length, json.length];
    text += `${json}\n`;
  }
  if (/[^\n -~]/.test(text))
    throw new Error("the numbering plans are not ASCII, so a character is not a byte");
  emit("numbering-plans.txt", text);
  return `import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
const plans = {};
function read([start, length]) {
  const bytes = Buffer.alloc(length);
  const file = openSync(join(__dirname, "numbering-plans.txt"));
  readSync(file, bytes, 0, length, start);
  closeSync(file);
  return JSON.parse(bytes.toString("latin1"));
}
const countries = new Proxy(${parsed(places)}, {
  get: (places, country) => plans[country] ??= Object.hasOwn(places, country) ? read(places[country]) : undefined,
});
export default { ...${parsed(others)}, countries };`;
}

/** Code for a large value: V8 parses JSON in less time than code. */
function parsed(value) {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}
