import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/** The rooms of src that each room may import, for types as well as values. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  host: ["errors"],
  version: [],
  message: ["errors", "host"],
  files: ["message", "errors", "host"],
  guards: ["message", "errors", "record"],
  recipients: ["message", "errors", "host", "guards", "record"],
  service: ["message", "errors", "host"],
  profiles: ["message", "errors", "host", "files", "record"],
  delivery: ["message", "errors", "host", "service"],
  runs: ["message", "errors", "host", "record", "guards", "recipients", "service", "delivery"],
  record: ["message", "errors", "host", "files"],
  watch: ["message", "errors", "guards"],
  output: ["message", "errors", "host", "delivery"],
  sandbox: ["message", "errors", "files", "host"],
  inbox: ["sandbox"],
  commands:
    "message errors host version files guards recipients profiles service delivery runs record watch output sandbox".split(
      " ",
    ),
  main: ["commands", "errors", "host", "output"],
};

/** What these rooms may import of others: types, and nothing else. */
const typesOnly: Readonly<Record<string, readonly string[]>> = {
  output: ["delivery", "guards", "runs", "record"],
  inbox: ["sandbox"],
};

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Paths from the root of the repository. */
  readonly imports: readonly string[];
}

function filesIn(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[jt]sx?$/.test(name))
    .map((name) => {
      const path = normalize(join(folder, name)).replaceAll("\\", "/");
      const text = readFileSync(path, "utf8");
      const targets = text.matchAll(/(?:from|import)\s*\(?\s*"(?<target>[^"]+)"/g);
      const imports = [...targets]
        .map(({ groups }) => groups?.["target"] ?? "")
        .map((target) =>
          target.startsWith(".") ? normalize(join(dirname(path), target)).replaceAll("\\", "/") : target,
        );
      return { path, text, imports };
    });
}

const src = filesIn("src");
const commands = src.filter(({ path }) => path.startsWith("src/commands/"));

function roomOf(path: string): string {
  const [, room = ""] = path.split("/");
  return room.replace(/\.ts$/, "");
}

/** The paths of the files that this pattern occurs in. */
function pathsWith(pattern: RegExp, files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

describe("the rooms of src", () => {
  it("are all in the table", () => {
    expect(src.length).toBeGreaterThan(100);
    expect(Object.keys(mayImport)).toEqual(expect.arrayContaining([...new Set(src.map(({ path }) => roomOf(path)))]));
  });

  it("import only what the table allows", () => {
    const forbidden = src.flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith("src/") && roomOf(target) !== roomOf(path))
        .filter((target) => !mayImport[roomOf(path)]?.includes(roomOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(forbidden).toEqual([]);
  });

  it.each(Object.entries(typesOnly))("give %s nothing but types of %j, and data", (room, others) => {
    const values = new RegExp(`^import (?!type)[^;]*"\\.\\./((?:${others.join("|")})/[^"]+)"`, "gm");
    const data = src.filter(({ imports }) => imports.length === 0).map(({ path }) => path);
    const given = src
      .filter(({ path }) => roomOf(path) === room)
      .flatMap(({ text }) => [...text.matchAll(values)].map(([, target = ""]) => `src/${target}`));
    expect(given.filter((target) => !data.includes(target))).toEqual([]);
  });

  it("keep message pure: it imports nothing of Node", () => {
    const files = src.filter(({ path }) => roomOf(path) === "message");
    expect(files.flatMap(({ imports }) => imports.filter((target) => target.startsWith("node:")))).toEqual([]);
  });

  it("open the record in one place: all others know its interfaces", () => {
    const others = src.filter(({ path }) => !path.startsWith("src/record/"));
    const openers = others.filter(({ imports }) => imports.some((target) => target.startsWith("src/record/folder/")));
    expect(openers.map(({ path }) => path)).toEqual(["src/commands/shared/record.ts"]);
  });

  it("teach the redactor its secrets in one file", () => {
    expect(pathsWith(/\.learn(?:Word)?\(/, src)).toEqual(["src/commands/shared/context.ts"]);
  });

  it("have no import cycle, types included", () => {
    expect(cycleIn(src)).toEqual([]);
  });
});

describe("the record", () => {
  it("says nothing of files in its interfaces", () => {
    const names = ["account", "history", "once", "opt-outs", "record", "runs"].map((name) => `src/record/${name}.ts`);
    const interfaces = src.filter(({ path }) => names.includes(path));
    expect(interfaces).toHaveLength(names.length);
    expect(pathsWith(/from "(?:node:fs|\.\/folder\/|\.\.\/files\/)/, interfaces)).toEqual([]);
  });
});

describe("src/commands", () => {
  it("has a file for each command, or a folder with a file of its name", () => {
    const names = readdirSync("src/commands").map((name) => name.replace(/\.ts$/, ""));
    const paths = names.filter((name) => name !== "shared").map((name) => [name, `src/commands/${name}`] as const);
    const isThere = (path: string) => commands.some((file) => file.path === path);
    expect(paths.filter(([name, path]) => !isThere(`${path}.ts`) && !isThere(`${path}/${name}.ts`))).toEqual([]);
  });

  it("builds no ledger, opens no journal and reads no file of a run", () => {
    const internals = /\b(?:new (?:Ledger|Journal)|openJournalFile|readJournal|readPlan|writePlan|readHeader)\b/;
    expect(pathsWith(internals, commands)).toEqual([]);
  });

  it("prints results through the presenter alone: only help comes from the parser", () => {
    const printing = /\.std(?:out|err)\b|\bpaintFor\(/;
    expect(pathsWith(printing, commands).toSorted()).toEqual([
      "src/commands/help/ready-texts.ts",
      "src/commands/program.ts",
    ]);
  });
});

/** The paths of a first import cycle; none if there is no cycle. */
function cycleIn(files: readonly SourceFile[]): readonly string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of imports.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
