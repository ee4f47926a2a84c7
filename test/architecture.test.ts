import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it, test } from "vitest";

/** Which room of src may import which; types count as much as values. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  host: [],
  version: [],
  core: ["core", "errors"],
  files: ["errors", "host"],
  recipients: ["core", "errors", "host"],
  profiles: ["core", "errors", "files", "host"],
  service: ["core", "errors", "host"],
  delivery: ["core", "errors", "host", "service"],
  runs: ["core", "errors", "files", "host", "recipients", "service", "delivery"],
  output: ["core", "errors", "host", "delivery", "runs"],
  sandbox: ["core", "errors", "host"],
  commands: [
    "core",
    "errors",
    "files",
    "host",
    "version",
    "recipients",
    "profiles",
    "service",
    "delivery",
    "runs",
    "output",
    "sandbox",
  ],
  main: ["commands", "errors", "host", "output"],
};

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.[jt]s$/.test(path),
);

const sources = files.map((path) => ({ path, text: readFileSync(join("src", path), "utf8") }));

const imports = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"(?<target>[^"]+)"/g)].map(({ groups }) => ({
    from: path,
    to: groups?.["target"] ?? "",
  })),
);

function roomOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : path.replace(/\.ts$/, "");
}

describe("the rooms of src", () => {
  it("were read: files, and the imports between them", () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.filter(({ to }) => to.startsWith(".")).length).toBeGreaterThan(60);
    expect(Object.keys(mayImport)).toEqual(expect.arrayContaining([...new Set(files.map(roomOf))]));
  });

  it("import only whom they may", () => {
    const trespasses = imports
      .filter(({ to }) => to.startsWith("."))
      .map(({ from, to }) => ({ from, to: normalize(join(dirname(from), to)) }))
      .filter(({ to }) => to !== "../package.json")
      .filter(({ from, to }) => {
        const room = roomOf(from);
        return room !== roomOf(to) && !mayImport[room]?.includes(roomOf(to));
      });
    expect(trespasses).toEqual([]);
  });

  it("keep output to the event and plan types of delivery", () => {
    const taken = sources
      .filter(({ path }) => path.startsWith("output/"))
      .flatMap(({ text }) => [...text.matchAll(/^import (?!type)[^;]*"\.\.\/(delivery|runs)\//gm)]);
    expect(taken).toEqual([]);
  });

  it("teach the redactor its secrets in one file", () => {
    const teachers = sources.filter(({ text }) => /\.learn(?:Word)?\(/.test(text)).map(({ path }) => path);
    expect(teachers).toEqual(["commands/shared/secrets.ts"]);
  });

  it("keep core pure: nothing of Node's", () => {
    expect(imports.filter(({ from, to }) => from.startsWith("core/") && to.startsWith("node:"))).toEqual([]);
  });
});

test("no file of src is longer than 250 lines, no command longer than 150", () => {
  const tooLong = sources
    .map(({ path, text }) => ({ path, lines: text.split("\n").length }))
    .filter(({ path, lines }) => lines > (path.startsWith("commands/") ? 150 : 250));
  expect(tooLong).toEqual([]);
});
