import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { endings } from "../src/errors.ts";
import { sendHint } from "../src/terminal/text.ts";

const pages = [
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
  ...["docs", "build", ".github"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  ),
].map((path) => ({ path, text: readFileSync(path, "utf8") }));

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(join("src", path), "utf8"));

function page(path: string): string {
  return pages.find((one) => one.path === path)?.text ?? "";
}

/** The lines of a page under a heading, up to the next heading of its level. */
function section(text: string, heading: string): string {
  const [level = ""] = heading.split(" ");
  return text.split(`\n${heading}\n`)[1]?.split(`\n${level} `)[0] ?? "";
}

/** The cells of the first table in a text, without its heading. */
function rows(text: string): readonly (readonly string[])[] {
  const [, , ...lines] = text.split("\n").filter((line) => line.startsWith("| "));
  return lines.map((line) => (line.replaceAll("`", "").match(/[^|]+/g) ?? []).map((cell) => cell.trim()));
}

/** What the group of a pattern holds wherever the pattern occurs. */
function captures(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([, capture = ""]) => capture);
}

function proseOf(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, "");
}

/** The anchors that GitHub makes of headings. */
function anchors(text: string): readonly string[] {
  const headings = captures(proseOf(text).toLowerCase(), /^#+ (.*)$/gm);
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}

describe("the documents", () => {
  it("have a README of 150 lines at most, and no line over 120 columns", () => {
    expect(page("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
    const wide = pages.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => (line.length > 120 ? [`${path}:${index + 1}`] : [])),
    );

    expect(wide).toEqual([]);
  });

  it("are read in a few minutes each: under 1,500 words, but the decisions and the service interface", () => {
    const words = pages
      .filter(({ path }) => path.startsWith("docs") || path === "README.md")
      .filter(({ path }) => !/(decisions|service-interface)\.md$/.test(path))
      .map(({ path, text }) => ({ path, count: text.trim().split(/\s+/).length }));
    expect(words.length).toBeGreaterThan(15);
    expect(words.filter(({ count }) => count >= 1500)).toEqual([]);
    expect(proseOf(page("docs/why.md")).trim().split(/\s+/).length).toBeLessThanOrEqual(400);
  });

  it("link only to files and headings that exist", () => {
    const links = pages.flatMap(({ path, text }) =>
      captures(proseOf(text), /\]\(([^)\s]+)\)/g)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => ({ path, target })),
    );
    const dead = links.filter(({ path, target }) => {
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : join(dirname(path), file);
      if (!existsSync(found)) return true;
      return anchor !== undefined && !anchors(readFileSync(found, "utf8")).includes(anchor);
    });

    expect(links.length).toBeGreaterThan(20);
    expect(dead).toEqual([]);
  });

  it("have no number that could be somebody's, but that of the examples and those of the sandbox", () => {
    const numbers = pages
      .filter(({ path }) => path !== "docs/internals/service-interface.md")
      .flatMap(({ text }) => captures(text, /(\+\d{8,15})\b/g));
    expect(numbers.filter((number) => !/^\+254(?:71234567[89]|712345680|700000\d{3})$/.test(number))).toEqual([]);
  });

  it("name only files of the project that exist", () => {
    const named = pages.flatMap(({ path, text }) =>
      captures(text, /`((?:bin|build|docs|src|test)\/[^`\s*]*)`/g).map((file) => ({ path, file })),
    );
    expect(named.filter(({ file }) => !existsSync(file))).toEqual([]);
  });

  it("are what the code cites", () => {
    const cited = sources.flatMap((text) =>
      captures(text, /((?:docs\/(?:internals\/)?)?[\w-]+\.md\b(?:[, ]+\d[\d.]*)?)/g),
    );
    const dead = cited.filter((citation) => {
      const [, file = "", number = ""] = /^(\S+\.md)(?:[, ]+(\d+(?:\.\d+)*))?/.exec(citation) ?? [];
      return !new RegExp(`^#+ ${number === "" ? "" : `${number}\\.? `}`, "m").test(page(file));
    });

    expect(dead).toEqual([]);
  });
});

describe("docs/outcomes.md", () => {
  it("has the exit codes of src/errors.ts", () => {
    const lines = section(page("docs/outcomes.md"), "## Exit codes").matchAll(/^- (\d+) \((.*?)\): (.*)$/gm);
    const table = Array.from(lines, ([, code, sent, when]) => [code, sent, when]);
    expect(table).toEqual(Object.values(endings).map(({ exitCode, sent, when }) => [String(exitCode), sent, when]));
    const codes = (wanted: string) =>
      [...new Set(Object.values(endings).flatMap(({ exitCode, sent }) => (sent === wanted ? [exitCode] : [])))].join(
        ", ",
      );
    const readme = rows(section(page("README.md"), "## In CI"));

    expect(readme.slice(0, 3).map(([code]) => code?.replace("2 to 7", "2, 3, 4, 5, 6, 7"))).toEqual(
      ["yes", "no", "maybe"].map(codes),
    );
  });
});

describe("docs/scripting.md", () => {
  it("quotes the hint of the failure that it shows", () => {
    const [failure = ""] = /\{"error":"Insufficient.*?\}/s.exec(page("docs/scripting.md")) ?? [];
    const { hint } = JSON.parse(failure.replace("\n ", "")) as { readonly hint: string };

    expect(hint).toBe(sendHint("no-credits", "", ""));
  });
});

describe("docs/error-codes.md", () => {
  it("has every error code of the code, and no other", () => {
    const lines = page("docs/error-codes.md").match(/^- .*$/gm) ?? [];
    const listed = lines.flatMap((line) => captures(line, /`([A-Z][A-Z0-9_]{3,})`/g));
    // Codes are the first text in capitals that makes an error, its `errorCode`, or in the table of src/service/answer.ts;
    // a condition may choose between two.
    const pattern =
      /(?:\b(?:[a-z]\w*|\w+Error)\(\s*(?:"[a-z-]+",\s*|\w+\(\w+\),\s*)?|\berrorCode(?::| =) |\[\s*(?:"[a-z-]+",\s*){2})"([A-Z][A-Z0-9_]{3,})"/g;
    const choice = /\b(?:\w*Error\(|slip\(|errorCode(?::| =) )([^;?]*\?[^,;]*)/g;
    const chosen = (text: string) => captures(captures(text, choice).join(), /[?:]\s*"([A-Z][A-Z0-9_]{3,})"/g);
    const codes = sources
      .flatMap((text) => [...captures(text, pattern), ...chosen(text)])
      .filter((code) => !/^(?:SIG|NAME$)/.test(code));

    // A variable of another name would hide a code from this test.
    const made = /\b(?:usageError\(|slip\(|new SmsError\([^,]+,)\s*([^"\s,][^,]*),/g;
    const hidden = sources.flatMap((text) => captures(text, made).filter((code) => !/errorCode\b|\?/.test(code)));

    expect(hidden).toEqual([]);
    expect(listed).toEqual([...new Set(listed)]);
    expect([...listed].sort()).toEqual([...new Set(codes)].sort());
  });
});

describe("docs/internals/architecture.md", () => {
  it("has the rooms of test/architecture.test.ts in their order", () => {
    const test = readFileSync("test/architecture.test.ts", "utf8");
    const entries = /const storeys = \[\n(?<entries>.*?)\n\] as const/s.exec(test)?.groups?.["entries"] ?? "";
    const drawing = entries.split("\n").map((line) => captures(line, /"(\w+)"/g));
    const text = section(page("docs/internals/architecture.md"), "## Rooms");
    const listed = captures(text, /^- ([`\w ]+): /gm);

    expect(drawing.length).toBeGreaterThan(10);
    expect(listed.map((names) => names.replaceAll("`", "").split(" "))).toEqual(drawing.toReversed());
  });
});

describe("the ways through the code in docs/internals/architecture.md", () => {
  const text = page("docs/internals/architecture.md");
  const steps = Array.from(text.matchAll(/`([\w.]+)` in\s+`([^`]+)`/g), ([, name = "", file = ""]) => ({ name, file }));

  it("have eight steps at most, and name what is in each file", () => {
    expect(Math.max(...captures(text, /^(\d+)\. /gm).map(Number))).toBeLessThanOrEqual(8);
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter(({ name, file }) => !readFileSync(file, "utf8").includes(name))).toEqual([]);
  });
});

describe("the workflow", () => {
  it("runs .ci/run on Linux and the suite elsewhere, on every supported Node, with no right but to read", () => {
    const { permissions, jobs } = parse(readFileSync(".github/workflows/ci.yml", "utf8"));
    const versions = /const versions = (\[.*\]);/.exec(readFileSync("test/nodes.js", "utf8"))?.[1];
    const majors = (JSON.parse(versions ?? "[]") as string[]).map((version) => Number.parseInt(version, 10));

    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.suite.strategy.matrix).toEqual({ os: ["macos-latest", "windows-latest"], node: majors });
    expect(jobs.linux.steps.at(-1)).toEqual({ run: ".ci/run" });
  });
});
