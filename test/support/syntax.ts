import { parseAst } from "rolldown/parseAst";

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value;
}

function collect(value: unknown, nodes: SyntaxNode[]): void {
  if (Array.isArray(value)) for (const member of value) collect(member, nodes);
  if (!isNode(value)) return;
  nodes.push(value);
  for (const member of Object.values(value)) collect(member, nodes);
}

function parse(path: string, text: string): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  collect(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path), nodes);
  return nodes;
}

function nameIn(value: unknown): string {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : "";
}

function isFunction(value: unknown): value is SyntaxNode {
  return isNode(value) && /Function/.test(value.type) && isNode(value["body"]);
}

/** The names of constants, variables and parameters, also those that a pattern takes apart. */
export function variablesIn(path: string, text: string): readonly string[] {
  const named = (pattern: unknown): readonly string[] => {
    if (Array.isArray(pattern)) return pattern.flatMap(named);
    if (!isNode(pattern)) return [];
    const { type, properties, elements, argument, left, value } = pattern;
    return type === "Identifier" ? [nameIn(pattern)] : named([properties, elements, argument, left, value].flat());
  };
  return parse(path, text).flatMap((node) => {
    if (node.type === "VariableDeclarator") return named(node["id"]);
    return isFunction(node) ? named(node["params"]) : [];
  });
}

/** How many lines the body of each test has, by the line that it begins on. */
export function testBodiesIn(path: string, text: string): readonly { readonly line: number; readonly lines: number }[] {
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const calleeOf = ({ callee, object, tag }: SyntaxNode): string => {
    const inner = callee ?? object ?? tag;
    return isNode(inner) ? nameIn(inner) || calleeOf(inner) : "";
  };
  return parse(path, text)
    .filter((node) => node.type === "CallExpression" && ["it", "test"].includes(calleeOf(node)))
    .flatMap(({ start, arguments: words }) =>
      (Array.isArray(words) ? words : []).filter(isFunction).map(({ body }) => {
        const { start: from, end } = isNode(body) ? body : { start, end: start };
        return { line: lineAt(start), lines: lineAt(end) - lineAt(from) - 1 };
      }),
    );
}
