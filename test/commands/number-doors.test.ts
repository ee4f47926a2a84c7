import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { withRuns } from "./with-runs.ts";

const { accepted, file, path, run, send } = withRuns();

type Door = (text: string, country: string, e164: string) => Promise<readonly string[]>;

const numberIn = (text: string) => [...new Set(text.match(/\+\d{7,17}(?!\d)/g))];
const other = "+254712345678";
const at = (country: string) => ["--country", country];
const planned = async (args: readonly string[], environment = {}) => {
  const { code, stdout } = await run(["send", ...args, "-m", "Hi", "-n", "--json"], { environment });
  if (code !== 0) return [];
  const { to, first } = JSON.parse(stdout);
  return [to ?? first.to];
};

/** Each returns the numbers that the text is there; none if it is refused. */
const doors: Readonly<Record<string, Door>> = {
  typed: (text, country) => planned(["--to", text, ...at(country)]),
  "typed of a run": (text, country) => planned(["--to", text, "--run", "a", ...at(country)]),
  "a plain list": (text, country) => planned(["-r", file("list.txt", `${text}\n`), ...at(country)]),
  "a CSV list": (text, country) => planned(["-r", file("list.csv", `to\n"${text}"\n`), ...at(country)]),
  NDJSON: (text, country) => planned(["-r", file("a.ndjson", JSON.stringify({ to: text })), ...at(country)]),
  "a list of one's own": (text, country) => {
    mkdirSync(path("config", "groups"), { recursive: true });
    writeFileSync(path("config", "groups", "us.txt"), `${text}\n`);
    return planned(["--to", "@us", ...at(country)]);
  },
  "optout add": async (text, country) => {
    await run(["optout", "add", text, ...at(country)]);
    return numberIn((await run(["optout", "list", "--json"])).stdout);
  },
  "optout import": async (text, country) => {
    await run(["optout", "import", file("out.csv", `to\n"${text}"\n`), ...at(country), "--yes"]);
    return numberIn((await run(["optout", "list", "--json"])).stdout);
  },
  "--only-to": (text, country, e164) =>
    planned(["--to", e164, "--only-to", file("only.txt", `${text}\n`), ...at(country)]),
  SMS_ONLY_TO: (text, country, e164) => planned(["--to", e164], { SMS_ONLY_TO: text, SMS_COUNTRY: country }),
  "--exclude": async (text, country, e164) => {
    const rows = ["-r", file("rows.txt", `${other}\n${e164}\n`), "--exclude", file("not.txt", `${text}\n`)];
    const { stdout } = await run(["send", ...rows, "-m", "Hi", "-n", "--json", ...at(country)]);
    return stdout.includes('"recipients":1,') ? [e164] : [];
  },
  "--redirect-to": async (text, country) => {
    await send(["-r", file("rows.txt", other), "-m", "Hi", "--redirect-to", text, "--yes", ...at(country)]);
    return accepted().map(([to]) => to);
  },
  clean: async (text, country) => {
    const { stdout } = await run(["clean", file("list.csv", `to\n"${text}"\n`), "-o", "-", ...at(country)]);
    return numberIn(stdout);
  },
  "clean of a plain list": async (text, country) => {
    const { stdout } = await run(["clean", file("list.txt", `${text}\n`), "-o", "-", ...at(country)]);
    return numberIn(stdout);
  },
  watch: async (text, country) => {
    await run(["watch", "--to", text], { stdin: "Hi\n", environment: { SMS_COUNTRY: country } });
    return accepted().map(([to]) => to);
  },
  notify: async (text, country) => {
    const environment = { SMS_COUNTRY: country };
    await run(["notify", "--to", text, "-m", "Hi", "--", "true"], { environment });
    return accepted().map(([to]) => to);
  },
  history: async (text, country, e164) => {
    await run(["send", "--to", e164, "-m", "Hi"]);
    const environment = { SMS_COUNTRY: country };
    return numberIn((await run(["history", "--to", text, "--json"], { environment })).stdout);
  },
};

/** Absent where no number is meant; `clean` takes spellings that others refuse. */
const written: readonly (readonly [text: string, country: string, e164: string | undefined, forClean?: string])[] = [
  ["49 171 1234598", "DE", "+491711234598"],
  ["491711234570", "DE", "+491711234570"],
  ["49 (0)171 1234598", "DE", "+491711234598"],
  ["383 43 201 234", "XK", "+38343201234"],
  ["383 043 201 234", "XK", undefined, "+38343201234"],
  ["62812345678", "ID", "+62812345678"],
  ["43 0664 123456", "AT", undefined, "+43664123456"],
  ["352099001761481", "DE", undefined],
  ["49352099001761481", "DE", undefined],
  ["+49352099001761481", "DE", undefined],
  ["+6907290", "TK", undefined],
];

describe.each(Object.entries(doors))("%s", needs("POSIX shell"), (name, door) => {
  it.each(written)("reads %s with %s as %s", async (text, country, e164, forClean) => {
    const meant = /^(?:clean|optout import)/.test(name) ? (forClean ?? e164) : e164;
    expect(await door(text, country, e164 ?? forClean ?? "+491711234598")).toEqual(meant === undefined ? [] : [meant]);
  });
});
