// What the bundle changes in the code that the bundler makes around modules: build/startup/README.md says what each trick gains.
import { RolldownMagicString } from "rolldown";

const tricks = {
  // CommonJS modules, such as those of undici, become functions in brackets in place of arrows. V8 of Node 20 compiles such a
  // function with its chunk; an arrow it skips there and reads again when it is called.
  "eager-modules": { passage: /\(\((\(exports(?:, module)?\)) => \{$/gm, by: "((function$1 {" },
  // Values in place of getters. A chunk exports at its end, and nothing exported is ever reassigned.
  "plain-exports": {
    passage:
      /Object\.defineProperty\(exports, ["'`](\w+)["'`], \{\s*enumerable: true,\s*get: function ?\(\) \{\s*return (\w+);\s*\}\s*\}\);/g,
    by: "exports.$1 = $2;",
  },
};

/** Plugins that make these changes, but for the tricks named. The build fails if one does not fit what the bundler makes. */
export function chunkAmendments(without = []) {
  return Object.entries(tricks).flatMap(([name, { passage, by }]) => {
    if (without.includes(name)) return [];
    let count = 0;
    return {
      name,
      renderChunk(code) {
        const chunk = new RolldownMagicString(code);
        const found = chunk.replaceRegex(passage, by);
        count += found;
        return found === 0 ? null : { code: chunk.toString(), map: String(chunk.generateMap({ hires: true })) };
      },
      generateBundle() {
        if (count === 0) throw new Error(`chunk-amendments.js does not fit the bundler: ${name}`);
      },
    };
  });
}
