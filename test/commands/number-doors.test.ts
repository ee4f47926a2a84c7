import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { rowOf, xlsxOf } from "../recipients/workbooks.ts";
import { withRuns } from "./with-runs.ts";

const { accepted, file, group, path, run, send } = withRuns();

type Door = (text: string, country: string, e164: string) => Promise<readonly string[]>;

const numberIn = (text: string): readonly string[] => [...new Set(text.match(/\+\d{7,17}(?!\d)/g))];
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
    group("us.txt", `${text}\n`);
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

/** `e164` is absent where no number is meant; lists take decimals, `clean` and lists that hold people back spellings that others refuse. */
interface Written {
  readonly text: string;
  readonly country: string;
  readonly e164?: string;
  readonly listed?: string;
  readonly cleaned?: string;
  readonly held?: string;
}

const written: readonly Written[] = [
  { text: "49 171 1234598", country: "DE", e164: "+491711234598" },
  { text: "491711234570", country: "DE", e164: "+491711234570" },
  { text: "49 (0)171 1234598", country: "DE", e164: "+491711234598" },
  { text: "383 43 201 234", country: "XK", e164: "+38343201234" },
  { text: "383 043 201 234", country: "XK", cleaned: "+38343201234" },
  { text: "62812345678", country: "ID", e164: "+62812345678" },
  { text: "43 0664 123456", country: "AT", cleaned: "+43664123456" },
  { text: "43 01 5952937", country: "AT", cleaned: "+4315952937" },
  { text: "383 39 145 302", country: "XK" },
  { text: "352099001761481", country: "DE" },
  { text: "49352099001761481", country: "DE" },
  { text: "+49352099001761481", country: "DE" },
  { text: "+6907290", country: "TK" },
  { text: "10. 0171 1234598", country: "DE", cleaned: "+491711234598" },
  { text: "2) 0171 1234598", country: "DE", cleaned: "+491711234598" },
  { text: "0171 1234598 (2)", country: "DE", held: "+491711234598" },
  { text: "6641234567.0", country: "AT", listed: "+436641234567" },
];

describe.each(Object.entries(doors))("%s", needs("POSIX shell"), (name, door) => {
  const isHeld = /^(?:optout import|--exclude)/.test(name);
  const isCleaned = isHeld || name.startsWith("clean");
  // A list of one's own with one number stands for that number, as it is typed.
  const isListed = isCleaned || /^(?:a plain list|a CSV list|NDJSON|--only-to)$/.test(name);

  it.each(written)("reads $text with $country as $e164", async ({ text, country, e164, listed, cleaned, held }) => {
    const meant =
      (isHeld ? held : undefined) ?? (isCleaned ? cleaned : undefined) ?? (isListed ? listed : undefined) ?? e164;
    const known = e164 ?? listed ?? cleaned ?? "+491711234598";
    expect(await door(text, country, known)).toEqual(meant === undefined ? [] : [meant]);
  });
});

describe("a typed number that cannot be read is explained by what its command has", needs("POSIX shell"), () => {
  const typedDoors: Readonly<Record<string, (text: string) => readonly string[]>> = {
    "one message": (text) => ["send", "--to", text, "-m", "Hi"],
    "one message under a key": (text) => ["send", "--to", text, "-m", "Hi", "--once", "a"],
    "a run": (text) => ["send", "--to", other, "--to", text, "-m", "Hi"],
    "a rehearsal": (text) => ["send", "--to", other, "-m", "Hi", "--redirect-to", text],
    notify: (text) => ["notify", "--to", text, "--", "true"],
    watch: (text) => ["watch", "--to", text],
    "optout add": (text) => ["optout", "add", text],
    "optout remove": (text) => ["optout", "remove", text, "--yes"],
    "profiles set notify-to": (text) => ["profiles", "set", "notify-to", text],
    history: (text) => ["history", "--to", text],
  };
  const faults = [
    [`${other},+254712345679`, "it is 2 numbers", `give each by itself: ${other} and +254712345679`],
    ["list.csv", "it is the name of a file", "`sms optout import list.csv` opts its numbers out"],
    ["0712345678", "it has no country", /(?:give its country with --country|set SMS_COUNTRY to) CC, or for good with/],
    ["254712345678", "it has no + in front", /write \+254712345678, or (?:give --country|set SMS_COUNTRY to) KE/],
    ["+25471234567", "it lacks a digit", "check its digits"],
    ["+254712345678 Ann", "it has letters in it", "write +254712345678"],
    ["NULL", "it has no digits", "write it with + and the country's code"],
  ] as const;
  it.each(Object.keys(typedDoors).flatMap((door) => faults.map((fault) => [door, ...fault] as const)))(
    "%s %s",
    async (door, text, reason, hint) => {
      const { code, stderr } = await run(typedDoors[door]?.(text) ?? []);
      const said = stderr.replaceAll(/\s+/g, " ");
      expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining(`"${text}" cannot be read: ${reason}`) });
      expect(said).toMatch(hint);
    },
  );
});

describe("a list of those who may be texted is explained by what its door has", () => {
  const national = () => file("only.csv", "to\n0712345678\n");
  const cleaned = /or `sms clean '[^']+only\.csv' --country CC -o NEW\.csv` sorts them out/;
  const home = /set SMS_COUNTRY to CC, or for good with `sms profiles set country CC --profile default`; or write/;
  const commas = /separate them by commas: \+254712345678,\+254712345679/;
  const sent = ["send", "--to", other, "-m", "Hi", "-n"];
  const set = ["profiles", "set", "only-to"];
  const two = `${other} +254712345679`;
  it.each<[string, () => readonly string[], Record<string, string>, RegExp]>([
    ["a file of the profile", () => [...set, national()], {}, home],
    ["a file of the profile, cleaned,", () => [...set, national()], {}, cleaned],
    ["a number of the profile", () => [...set, "0712345678"], {}, home],
    ["--only-to", () => [...sent, "--only-to", national()], {}, cleaned],
    ["numbers of the profile without commas", () => [...set, two], {}, commas],
    ["numbers of --only-to without commas", () => [...sent, "--only-to", two], {}, commas],
    ["numbers of SMS_ONLY_TO without commas", () => sent, { SMS_ONLY_TO: two }, commas],
  ])("%s", async (_, args, environment, hint) => {
    const { code, stderr } = await run(args(), { environment });
    expect({ code, said: stderr.replaceAll(/\s+/g, " ") }).toEqual({ code: 2, said: expect.stringMatching(hint) });
  });
});

const commented = "to,ref\n+254712345678,#12\n+254712345677,y\n#+254712345679,x\n";

describe("a number behind a # is commented out, and its line is said", () => {
  const away = ["-m", "Hi", "-n"];
  const lists: Readonly<Record<string, () => readonly string[]>> = {
    "send --recipients": () => ["send", "-r", file("list.csv", commented), ...away],
    "send --to @list": () => {
      group("us.csv", commented);
      return ["send", "--to", "@us", ...away];
    },
    "--only-to": () => ["send", "--to", other, ...away, "--only-to", file("list.csv", commented)],
    "--exclude": () => ["send", "-r", file("a.txt", `${other}\n`), ...away, "--exclude", file("list.csv", commented)],
    clean: () => ["clean", file("list.csv", commented)],
    "optout import": () => ["optout", "import", file("list.csv", commented), "--yes"],
  };
  const expectSaid = async (args: readonly string[], environment = {}, row = "line 4") => {
    const { code, stdout, stderr } = await run(args, { environment, stdin: "ERROR\n" });
    const words = `(?:pass(?:es|ed) over|left out):? 1 row whose number is behind a #: ${row}`;
    expect({ code, said: (stdout + stderr).replace(/\s+/g, " ") }).toEqual({
      code: 0,
      said: expect.stringMatching(new RegExp(words, "i")),
    });
    expect(stdout + stderr).not.toContain("+254712345679");
  };
  it.each(Object.entries(lists))("%s", (_, args) => expectSaid(args()));

  const us = (content: string) => {
    group("us.csv", content);
    return "@us";
  };
  const one = () => us(`to\n${other}\n#+254712345679\n`);
  const many = () => file("rows.txt", `${other}\n+254712345670\n`);
  const list = () => file("list.csv", commented.replace("+254712345677", "+254712345670"));
  /** Each sends, or finds nobody left to send to. */
  const sends: Readonly<Record<string, () => readonly string[]>> = {
    "a run of a list": () => ["send", "-r", list(), "-m", "Hi", "--yes"],
    "one message with --only-to": () => ["send", "--to", other, "-m", "Hi", "--only-to", list()],
    "a run with --only-to": () => ["send", "-r", many(), "-m", "Hi", "--yes", "--only-to", list()],
    "a run with --exclude": () => ["send", "-r", file("a.txt", "+254712345671\n"), "-m", "Hi", "--exclude", list()],
    "a run whose people are all excluded": () => ["send", "-r", many(), "-m", "Hi", "--exclude", list()],
    "notify with --only-to": () => ["notify", "--to", other, "-m", "Hi", "--only-to", list(), "--", "true"],
    "watch with --only-to": () => ["watch", "--to", other, "--only-to", list()],
  };
  it.each(
    Object.entries(sends).flatMap(([door, args]) => [[], ["--json"], ["-q"]].map((how) => [door, how, args] as const)),
  )("%s %j", async (_, how, args) => {
    const [command = "", ...words] = args();
    await expectSaid([command, ...how, ...words]);
  });

  const ofOne = [["send", "-m", "Hi"], ["notify", "-m", "Hi"], ["watch"]] as const;
  it.each(ofOne.flatMap((words) => [[], ["--json"], ["-q"]].map((how) => [...words, ...how])))(
    "%s to a list of one with %s %s",
    async (...words) => {
      const command = words[0] === "notify" ? ["--", "true"] : [];
      await expectSaid([...words, "--to", one(), ...command], {}, "line 3");
    },
  );

  it("in SMS_ONLY_TO", async () => {
    const args = ["send", "--to", other, "-m", "Hi"];
    await expectSaid(args, { SMS_ONLY_TO: `# +254712345679, ${other}` }, "line 1");
    const { code, stderr } = await run(args, { environment: { SMS_ONLY_TO: "#+254712345679" } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("SMS_ONLY_TO has only comments") });
  });
});

const wordsOf = (command: string) => (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));

describe("the option that an error names mends the list", () => {
  const away = ["-m", "Hi", "-n"];
  const listDoors: Readonly<Record<string, (list: string) => readonly string[]>> = {
    "send --recipients": (list) => ["send", "-r", list, ...away],
    clean: (list) => ["clean", list],
    "optout import": (list) => ["optout", "import", list, "--yes"],
    "--exclude": (list) => ["send", "-r", file("a.txt", `${other}\n`), ...away, "--exclude", list],
    "--only-to": (list) => ["send", "--to", other, ...away, "--only-to", list],
  };
  const faulty = [
    ["no column of numbers", `Name,My Account\nAnn,${other}\n`],
    ["two columns of numbers", `Name,Phone,Mobile\nAnn,${other},${other}\n`],
    ["may have its number", `{"phone":"${other}","mobile":"${other}"}\n`],
  ] as const;
  const cases = Object.keys(listDoors)
    .flatMap((door) => faulty.map(([what, content]) => ({ door, what, content })))
    // Lists that hold people back take both numbers of an object.
    .filter(({ door, what }) => !/optout import|--exclude/.test(door) || what !== "may have its number");
  const typed = async (hint: string, made: string) => {
    const [, command = ""] = /`sms (clean [^`]+ -o NEW\.csv[^`]*)`/.exec(hint) ?? [];
    return run(wordsOf(command).map((word) => (word === "NEW.csv" ? made : word)));
  };
  it.each(["--exclude", "--only-to"])("%s: a row that cannot be used", async (door) => {
    const argsOf = listDoors[door] ?? (() => []);
    const list = file("list.csv", `to\n${other}\nnobody\n`);
    const { code, stderr } = await run([...argsOf(list), "--country", "KE"]);
    const words = /`sms (clean '[^']+list\.csv'(?: --every-number)? --country KE -o NEW\.csv)` sorts them out/;
    const said = stderr.replace(/\s+/g, " ");
    expect({ code, said }).toEqual({ code: 2, said: expect.stringMatching(words) });
    const made = path("MADE.csv");
    expect((await typed(said, made)).code).toBe(11);
    expect((await run(argsOf(made))).code).toBe(0);
  });

  it.each(["send --recipients", "clean", "optout import"])("%s: a column without any number", async (door) => {
    const argsOf = listDoors[door] ?? (() => []);
    const list = file("list.csv", `to,Used\nAnn,${other}\n`);
    const { code, stderr } = await run(argsOf(list));
    const said =
      'line 1 was taken for the header, with the columns "to", "Used", and "to" for the numbers: --to-column Used';
    expect({ code, said: stderr.replace(/\s+/g, " ") }).toEqual({ code: 2, said: expect.stringContaining(said) });
    expect((await run([...argsOf(list), "--to-column", "Used"])).code).toBe(0);
  });

  it.each(cases)("$door: $what", async ({ door, what, content }) => {
    const argsOf = listDoors[door] ?? (() => []);
    const list = file(content.startsWith("{") ? "list.ndjson" : "list.csv", content);
    const { code, stderr } = await run(argsOf(list));
    const said = stderr.replace(/\s+/g, " ");
    expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining(what) });
    const [, option = ""] = /--to-column ('[^']+'|[\w,]+)/.exec(said) ?? [];
    const column = option.replaceAll("'", "");
    const made = path("NEW.csv");
    const isCommand = /`sms clean \S.*list\.\w+'?(?: --every-number)? -o NEW\.csv --to-column [^`]+`/.test(said);
    expect(isCommand).toBe(door.startsWith("--"));
    if (isCommand) await run(["clean", list, "-o", made, "--to-column", column]);
    const mended = isCommand ? argsOf(made) : [...argsOf(list), "--to-column", column];
    expect((await run(mended)).code).toBe(0);
  });

  it.each(["plain", "ndjson"])("send with the wrong --format %s", async (format) => {
    const list = file("list.csv", `Name,Phone,Due\nAnn,${other},5\n`);
    const { stderr } = await run(["send", "-r", list, "--format", format, ...away]);
    const [, words = ""] = /`sms ([^`]+)` sorts them out/.exec(stderr.replace(/\s+/g, " ")) ?? [];
    expect((await run(wordsOf(words))).code).toBe(0);
  });

  const two = ["A", "B"].map((name) => ({ name, rows: rowOf(1, "to") + rowOf(2, other) }));
  const bytes = [
    ["an encoding", "list.csv", Buffer.from(`name,to\nJos\xe9,${other}\n`, "latin1"), "--encoding windows-1252"],
    ["a sheet", "list.xlsx", xlsxOf(two), "--sheet A"],
  ] as const;
  it.each(Object.keys(listDoors).flatMap((door) => bytes.map((each) => [door, ...each] as const)))(
    "%s: %s",
    async (door, _, name, content, option) => {
      const argsOf = listDoors[door] ?? (() => []);
      const list = path(name);
      writeFileSync(list, content);
      const { code, stderr } = await run([...argsOf(list), "--json"]);
      const { hint } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
      expect({ code, hint }).toEqual({ code: 2, hint: expect.stringContaining(option) });
      const [, command = ""] = /`sms ([^`]+)`/.exec(hint) ?? [];
      const made = path("MADE.csv");
      const words = command === "" ? argsOf(list) : wordsOf(command);
      const mending = words.map((word) => (word === "NEW.csv" ? made : word));
      const mended = mending[0] === "clean" ? argsOf(made) : mending;
      expect([(await run(mending)).code, (await run(mended)).code]).toEqual([0, 0]);
    },
  );

  const ben = "+254712345679";
  const hidden = rowOf(4, ben, ben).replace("<row", '<row hidden="1"');
  it.each([
    ["a row that cannot be used", rowOf(1, "x", "Phone") + rowOf(2, "a", other) + rowOf(3, "b", "nobody"), 11],
    ["two columns", rowOf(1, "Mobile", "Phone") + rowOf(2, other, other), 0],
  ] as const)("--exclude: %s of a workbook that hides a row", async (_, rows, code) => {
    const list = path("list.xlsx");
    writeFileSync(list, xlsxOf([{ rows: rows + hidden }]));
    const people = file("a.txt", `${other}\n${ben}\n`);
    const argsOf = (exclude: string) => ["send", "-r", people, ...away, "--exclude", exclude, "--json"];
    const made = path("MADE.csv");
    const { hint } = JSON.parse((await run(argsOf(list))).stderr);
    expect((await typed(hint, made)).code).toBe(code);
    expect(JSON.parse((await run(argsOf(made))).stdout)).toMatchObject({ recipients: 0, leftOut: { excluded: 2 } });
  });

  const held = [
    ["two columns", `Name,Phone,Mobile\nAnn,${other},${ben}\n`],
    ["two numbers, words and no number", `Phone\n${other} / ${ben}\n0733123456 STOP\nnobody\n`],
  ] as const;
  it.each(held)("--exclude: %s, and nobody is lost in the list that is made", async (_, content) => {
    const people = file("a.txt", `${other}\n${ben}\n`);
    const argsOf = (list: string) => ["send", "-r", people, ...away, "--exclude", list, "--json", "--country", "KE"];
    const { hint } = JSON.parse((await run(argsOf(file("list.csv", content)))).stderr);
    const made = path("MADE.csv");
    await typed(hint, made);
    expect(JSON.parse((await run(argsOf(made))).stdout)).toMatchObject({ recipients: 0, leftOut: { excluded: 2 } });
  });

  it("optout: an import and a removal take both columns", async () => {
    const list = file("list.csv", `Name,Phone,Mobile\nAnn,${other},${ben}\n`);
    const { stderr } = await run(["optout", "import", list, "--yes", "--json"]);
    const [, option = ""] = /^--to-column (\S+) takes both/.exec(JSON.parse(stderr).hint) ?? [];
    await run(["optout", "import", list, "--yes", "--to-column", option]);
    const optedOut = async () => numberIn((await run(["optout", "list", "--json"])).stdout).toSorted();
    expect(await optedOut()).toEqual([other, ben]);
    const { hint } = JSON.parse((await run(["optout", "remove", "--list", list, "--yes", "--json"])).stderr);
    const made = path("MADE.csv");
    await typed(hint, made);
    await run(["optout", "remove", "--list", made, "--yes"]);
    expect(await optedOut()).toEqual([]);
  });

  it.each(["send --recipients", "clean"])("%s: numbers in a column that the sheet hides", async (door) => {
    const argsOf = listDoors[door] ?? (() => []);
    const list = path("list.xlsx");
    const rows = rowOf(1, "Name", "Phone") + rowOf(2, "Ann", other) + rowOf(3, "Ben", ben);
    writeFileSync(list, xlsxOf([{ rows, columns: '<col min="2" max="2" hidden="1"/>' }]));
    const { code, stderr } = await run([...argsOf(list), "--json"]);
    expect([code, JSON.parse(stderr).hint]).toEqual([2, expect.stringMatching(/show the columns that it hides/)]);
  });
});
