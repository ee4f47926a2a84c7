import { RolldownMagicString } from "rolldown";

/** How the bundler exports a name of a chunk. */
const getter =
  /Object\.defineProperty\(exports, ["'`](\w+)["'`], \{\s*enumerable: true,\s*get: function ?\(\) \{\s*return (\w+);\s*\}\s*\}\);/g;

/** A plugin that exports values in place of getters. A chunk exports at its end, and nothing exported is ever reassigned. */
export function plainExports() {
  let count = 0;
  return {
    name: "plain-exports",
    renderChunk(code) {
      const chunk = new RolldownMagicString(code);
      const found = chunk.replaceRegex(getter, "exports.$1 = $2;");
      count += found;
      return found === 0 ? null : { code: chunk.toString(), map: String(chunk.generateMap({ hires: true })) };
    },
    generateBundle() {
      if (count === 0) throw new Error("plain-exports.js does not fit the exports of the bundler");
    },
  };
}
