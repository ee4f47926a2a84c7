import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { testBodiesIn, variablesIn } from "./support/syntax.ts";

/** The rooms of src from the ground up. Each may import what stands before it, for types as well as values. */
const storeys = [
  ["assets", "errors", "json", "version"],
  ["words"],
  ["host"],
  ["key"],
  ["message"],
  ["files"],
  ["service"],
  ["terminal"],
  ["record"],
  ["profiles"],
  ["recipients"],
  ["guards", "reports"],
  ["sandbox"],
  ["sending"],
  ["checks", "trials"],
  ["logins"],
  ["commands"],
  ["main"],
] as const;

/** What a room must not import although it stands lower. */
const never: Readonly<Record<string, readonly string[]>> = {
  // It reads the interface of the service a second time.
  sandbox: ["service", "profiles", "record", "recipients", "guards", "reports", "terminal"],
  message: ["host", "key"],
};

function mayImport(from: string, to: string): boolean {
  const storeyOf = (room: string) => storeys.findIndex((rooms) => rooms.some((one) => one === room));
  return storeyOf(to) >= 0 && storeyOf(to) < storeyOf(from) && never[from]?.includes(to) !== true;
}

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

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.["name"] ?? "");
}

describe("the rooms of src", () => {
  it("are all in the table", () => {
    expect(src.length).toBeGreaterThan(100);
    expect(storeys.flat().toSorted()).toEqual([...new Set(src.map(({ path }) => roomOf(path)))].toSorted());
  });

  it("import only what stands below them", () => {
    const forbidden = src.flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith("src/") && roomOf(target) !== roomOf(path))
        .filter((target) => !mayImport(roomOf(path), roomOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(forbidden).toEqual([]);
  });

  it("keep message pure: it imports nothing of Node", () => {
    const files = src.filter(({ path }) => roomOf(path) === "message");
    expect(files.flatMap(({ imports }) => imports.filter((target) => target.startsWith("node:")))).toEqual([]);
  });

  it("open the record in one place: all others know its interfaces", () => {
    const others = src.filter(({ path }) => !path.startsWith("src/record/"));
    const openers = others.filter(({ imports }) => imports.some((target) => target.startsWith("src/record/folder/")));
    expect(openers.map(({ path }) => path)).toEqual(["src/profiles/record.ts"]);
  });

  it("teach the redactor its secrets in one file", () => {
    expect(pathsWith(/\.learn(?:Word)?\(/, src)).toEqual(["src/profiles/secrets.ts"]);
  });

  it("open guards by one door", () => {
    const guards = src.filter(({ path }) => path.startsWith("src/guards/"));
    const types = guards.flatMap(({ text }) => namesIn(text, /^export interface (?<name>\w+) extends \w*Guard\b/gm));
    const returned = ["Guard", ...types].join("|");
    const maker = new RegExp(
      `^export (?:async )?function (?<name>\\w+)\\((?:(?!^\\}).)*?\\): [^{]*\\b(?:${returned})\\b`,
      "gms",
    );
    const behind = guards.filter(({ path }) => path !== "src/guards/open.ts");
    const makers = behind.map(({ path, text }) => ({ path, names: namesIn(text, maker) }));
    expect(makers.flatMap(({ names }) => names)).toEqual(
      expect.arrayContaining(["openHours", "withoutOptOuts", "openDailyCredits", "dailyLimit"]),
    );
    const users = makers.flatMap(({ path, names }) => {
      const others = src.filter((file) => !guards.includes(file) && file.imports.includes(path));
      return names.length === 0 ? [] : pathsWith(new RegExp(`\\b(?:${names.join("|")})\\(`), others);
    });
    expect(users).toEqual([]);
  });
});

describe("a name in src", () => {
  it.each([
    ["one exported function, constant, type or class", /^export (?:async )?(?:function\*?|\w+) (?<name>\w+)/gm, 900],
    ["one type or class, exported or not", /^(?:export )?(?:interface|type|class) (?<name>\w+)/gm, 400],
  ])("is that of %s", (_, declared, least) => {
    // Overloads of a function have its name.
    const names = src.flatMap(({ path, text }) =>
      [...new Set(namesIn(text, declared))].map((name) => [name, path] as const),
    );
    expect(names.length).toBeGreaterThan(least);
    expect(names.filter(([name]) => names.filter(([other]) => other === name).length > 1)).toEqual([]);
  });

  it("is that of two files at most", () => {
    const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
    const names = src.map(({ path }) => nameOf(path));
    expect(names.filter((name) => names.filter((other) => other === name).length > 2)).toEqual([]);
  });
});

describe("a variable of src", () => {
  /** A noun says what the value is: `entry`, `profile`, `remaining`. */
  const vague =
    "one given found known own asked kept held chosen shown left taken named wanted written stored opened ended begun sent used told said done made seen drawn";

  it("is no participle", () => {
    const names = src.flatMap(({ path, text }) => variablesIn(path, text).map((name) => ({ path, name })));
    expect(names.length).toBeGreaterThan(2_000);
    expect(names.filter(({ name }) => vague.split(" ").includes(name))).toEqual([]);
  });
});

describe("a test", () => {
  it("has a body of at most 30 lines", () => {
    const bodies = filesIn("test").flatMap(({ path, text }) =>
      testBodiesIn(path, text).map(({ line, lines }) => ({ place: `${path}:${line}`, lines })),
    );
    expect(bodies.length).toBeGreaterThan(1_000);
    expect(bodies.filter(({ lines }) => lines > 30)).toEqual([]);
  });
});

describe("the record", () => {
  it("says nothing of files in its interfaces", () => {
    const names = ["account", "history", "once", "opt-outs", "record-keeper", "runs", "spending", "watched"].map(
      (name) => `src/record/${name}.ts`,
    );
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
    expect(pathsWith(printing, commands)).toEqual(["src/commands/program.ts"]);
  });
});
