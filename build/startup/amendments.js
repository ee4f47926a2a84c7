// What the bundle changes in libraries: build/startup/README.md says what each trick gains. The build fails, and names the
// file and passage, if a change does not fit what is installed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const asserting = ["core/connect", "core/request", "core/util", "dispatcher/client", "dispatcher/client-h1"];

const tricks = {
  // Each passage is in its file exactly once. What replaces it does not work, since no send gets there.
  "unused-parts": [
    // It recognises messages of Node's own client, and reads Node's limit on headers if transport.ts gives it none.
    { file: "undici/lib/core/util.js", passage: "require('node:http')", by: "{}" },
    { file: "undici/lib/dispatcher/client.js", passage: "require('node:http')", by: "undefined" },
    // transport.ts switches HTTP/2 off.
    { file: "undici/lib/dispatcher/client.js", passage: "require('./client-h2.js')", by: "undefined" },
    // transport.ts gives no body that fetch would have to read.
    { file: "undici/lib/dispatcher/client-h1.js", passage: "require('../web/fetch/body.js')", by: "{}" },
    // transport.ts gives no form, which undici 8 recognises here.
    {
      file: "undici/lib/core/request.js",
      passage: "require('../web/fetch/formdata')",
      by: "undefined",
      optional: true,
    },
    { file: "undici/lib/core/request.js", passage: "require('../web/webidl')", by: "undefined", optional: true },
    // Node's own loads seven modules, for messages that compare two values.
    ...asserting.map((name) => ({
      file: `undici/lib/${name}.js`,
      passage: "require('node:assert')",
      by: "(holds, message = 'undici met a state that it rules out') => { if (!holds) throw new Error(message); }",
    })),
    // Names of headers that undici knows in lower case beforehand. It lowers those that it does not know.
    { file: "undici/lib/core/constants.js", passage: "i < wellknownHeaderNames.length", by: "false" },
    { file: "undici/lib/core/tree.js", passage: "i < wellknownHeaderNames.length", by: "false" },
    { file: "undici/lib/llhttp/constants.js", make: constantsInUse },
    // For commands that are programs of their own. Commander 15 imports it.
    {
      file: "commander/lib/command.js",
      passage: /(?:const|import) childProcess .*'node:child_process'.*/,
      by: "const childProcess = undefined;",
    },
  ],
  // `make` returns the whole file anew.
  "parser-file": [
    { file: "undici/lib/llhttp/llhttp-wasm.js", make: parserInFile },
    { file: "undici/lib/llhttp/llhttp_simd-wasm.js", make: parserInFile },
  ],
  "numbering-plan-file": [{ file: "libphonenumber-js/metadata.max.json.js", make: numberingPlansInFile }],
};

/** A plugin that makes these changes, but for the tricks named. */
export function amendments(without = []) {
  const changes = Object.entries(tricks).flatMap(([name, own]) => (without.includes(name) ? [] : own));
  const unseen = new Set(changes.filter(({ optional }) => !optional));
  return {
    name: "amendments",
    load(id) {
      const path = id.replaceAll("\\", "/");
      const own = changes.filter(({ file }) => path.endsWith(`/node_modules/${file}`));
      if (own.length === 0) return undefined;
      let text = readFileSync(id, "utf8");
      for (const change of own) {
        if ("make" in change) {
          text = change.make(id, (fileName, source) => this.emitFile({ type: "asset", fileName, source }));
        } else {
          const [before, after, ...others] = text.split(change.passage);
          if (after === undefined || others.length > 0) continue;
          text = before + change.by + after;
        }
        unseen.delete(change);
      }
      return text;
    },
    buildEnd(error) {
      if (error !== undefined || unseen.size === 0) return;
      const names = [...unseen].map((change) => `${change.file}: ${"make" in change ? "" : change.passage}`);
      throw new Error(`amendments.js does not fit what is installed:\n${names.join("\n")}`);
    },
  };
}

/** Of the parser's constants undici's client reads two tables. The others are computed from lists of all characters. */
function constantsInUse(id) {
  const client = readFileSync(id.replace(/llhttp(.)constants\.js$/, "dispatcher$1client-h1.js"), "utf8");
  const names = Array.from(client.matchAll(/\bconstants\.([A-Z]\w*)/g), ([, name]) => name);
  if (names.length === 0) throw new Error(`amendments.js does not fit what is installed: who reads ${id}?`);
  const all = createRequire(import.meta.url)(id);
  return `module.exports = ${JSON.stringify(Object.fromEntries(names.map((name) => [name, all[name]])))};`;
}

/** undici's WebAssembly parser is read as bytes when there is an answer to parse, not decoded from a text of the chunk. */
function parserInFile(id, emit) {
  const name = id.includes("simd") ? "llhttp-simd.wasm" : "llhttp.wasm";
  emit(name, createRequire(import.meta.url)(id));
  return `module.exports = require("./assets.cjs").readAsset("${name}");`;
}

/** Each country's plan is read from a file when it is first needed: a send needs one of 240. */
function numberingPlansInFile(id, emit) {
  const { countries, ...others } = JSON.parse(readFileSync(id.replace(/\.js$/, ""), "utf8"));
  const places = {};
  let text = "";
  for (const [country, plan] of Object.entries(countries)) {
    const json = JSON.stringify(plan);
    places[country] = [text.length, json.length];
    text += `${json}\n`;
  }
  if (/[^\n -~]/.test(text)) throw new Error("the numbering plans are not ASCII, so a character is not a byte");
  emit("numbering-plans.txt", text);
  return `const plans = {};
function read([start, length]) {
  return JSON.parse(require("./assets.cjs").readAsset("numbering-plans.txt").latin1Slice(start, start + length));
}
const countries = new Proxy(${parsed(places)}, {
  get: (places, country) => plans[country] ??= Object.hasOwn(places, country) ? read(places[country]) : undefined,
});
export default { ...${parsed(others)}, countries };`;
}

/** Code for a large value: V8 parses JSON faster than code. */
function parsed(value) {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}
