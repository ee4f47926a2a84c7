import { RolldownMagicString } from "rolldown";

/**
 * A plugin that wraps CommonJS modules, such as those of undici, in functions in brackets in place of arrows. V8 of Node 20
 * compiles such a function with its chunk; an arrow it skips there and reads again when it is called.
 */
export function eagerModules() {
  let count = 0;
  return {
    name: "eager-modules",
    renderChunk(code) {
      const chunk = new RolldownMagicString(code);
      const found = chunk.replaceRegex(/\(\((\(exports(?:, module)?\)) => \{$/gm, "((function$1 {");
      count += found;
      return found === 0 ? null : { code: chunk.toString(), map: String(chunk.generateMap({ hires: true })) };
    },
    generateBundle() {
      if (count === 0) throw new Error("eager-modules.js does not fit the wrappers of the bundler");
    },
  };
}
