import { parseAst } from "rolldown/parseAst";

/** What each operator can become. */
const replacements = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "!": [""],
  "++": ["--"],
  "--": ["++"],
  "+=": ["-="],
  "-=": ["+="],
  "*=": ["/="],
  "??=": ["="],
  "||=": ["="],
  "&&=": ["="],
};

/** Types are not run, but these have an expression inside. */
const wrappers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** The operators, numbers and booleans of a source file, each as the files that it can be changed to. */
export function sitesIn(name, source) {
  const sites = [];
  const add = (start, text, texts) => {
    const mutants = texts
      .map((each) => mutantOf(name, source, start, start + text.length, each))
      .filter((mutant) => isProgram(mutant.source));
    if (mutants.length > 0) sites.push(mutants);
  };
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== "string" || (node.type.startsWith("TS") && !wrappers.has(node.type))) return;
    const { type, operator, start, raw, value } = node;
    if (Object.hasOwn(replacements, operator ?? "")) {
      const from = node.left?.end ?? (node.prefix === false ? node.argument.end : start);
      add(source.indexOf(operator, from), operator, replacements[operator]);
    }
    if (type === "Literal" && typeof value === "boolean") add(start, raw, [String(!value)]);
    if (type === "Literal" && typeof value === "number")
      add(start, raw, value > 0 ? [String(value + 1), String(value - 1)] : [String(value + 1)]);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(source, { lang: "ts" }));
  return sites;
}

function mutantOf(name, original, start, end, text) {
  const source = original.slice(0, start) + text + original.slice(end);
  const index = original.slice(0, start).split("\n").length - 1;
  const [before, after] = [original, source].map((each) => each.split("\n")[index].trim());
  return { name, source, line: index + 1, before, after };
}

/** A changed operator can be a syntax error: `??` needs brackets beside `&&`. */
function isProgram(source) {
  try {
    parseAst(source, { lang: "ts" });
    return true;
  } catch {
    return false;
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
