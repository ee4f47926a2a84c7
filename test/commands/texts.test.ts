import { describe, expect, it } from "vitest";
import type { Ended } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { withSandbox } from "../support/with-sandbox.ts";
import { rowOf, xlsxOf } from "../recipients/workbooks.ts";
import { fast, numbers } from "./with-runs.ts";

const [to = "", other = ""] = numbers(2);
const { run, file, sandbox } = withSandbox({ key: "sk_test_sandbox", isOwn: true });

const row = (text: string) => `to,message,x\n${to},"${text}","${text}"\n`;
const object = (text: string) => JSON.stringify({ to, message: text, x: text });
const sheet = (text: string) =>
  xlsxOf([{ rows: rowOf(1, "to", "message", "x") + rowOf(2, to, text.replace(/\r/g, "&#13;"), "x") }]);
const list = (name: string, content: string | Uint8Array) => ["send", "-r", file(name, content), ...fast];

/** Each place that gives a text: its command, and what it reads on standard input. */
const doors: Readonly<Record<string, (text: string) => { readonly args: readonly string[]; readonly stdin?: string }>> =
  {
    "--message": (text) => ({ args: ["send", "--to", to, "-m", text] }),
    "--message, literal": (text) => ({ args: ["send", "--to", to, "--literal", "-m", text] }),
    "--message under a key": (text) => ({ args: ["send", "--to", to, "--once", "key", "-m", text] }),
    "--message of a list": (text) => ({ args: [...list("list.txt", to), "-m", text] }),
    "--message of a rehearsal": (text) => ({ args: [...list("list.txt", other), "--redirect-to", to, "-m", text] }),
    "a file": (text) => ({ args: ["send", "--to", to, "--message-file", file("text", text)] }),
    "standard input": (text) => ({ args: ["send", "--to", to], stdin: text }),
    "standard input of a list": (text) => ({ args: list("list.txt", to), stdin: text }),
    "a column of CSV": (text) => ({ args: list("list.csv", row(text)) }),
    "a field of CSV": (text) => ({ args: [...list("list.csv", row(text)), "-m", "{{x}}"] }),
    "a cell of a workbook": (text) => ({ args: list("list.xlsx", sheet(text)) }),
    "a member of NDJSON": (text) => ({ args: list("list.ndjson", object(text)) }),
    "a field of NDJSON": (text) => ({ args: [...list("list.ndjson", object(text)), "-m", "{{x}}"] }),
    notify: (text) => ({ args: ["notify", "--to", to, "-m", text, "--", "true"] }),
    "notify, a file": (text) => ({ args: ["notify", "--to", to, "--message-file", file("text", text), "--", "true"] }),
    "words of a watch": (text) => ({
      args: ["watch", "--to", to, "--segments", "10", "-m", text.trimEnd()],
      stdin: "line\n",
    }),
    preview: (text) => ({ args: ["preview", "--json", "-m", text] }),
    "preview, standard input": (text) => ({ args: ["preview", "--json"], stdin: text }),
  };
const names = Object.keys(doors);

/** What the text becomes behind that door: as it is sent, or as it is counted. */
async function through(door: string, text: string): Promise<Ended & { readonly texts: readonly string[] }> {
  const { args, stdin } = doors[door]?.(text) ?? { args: [] };
  const ended = await run(args, { stdin });
  const { parts } = door.startsWith("preview") && ended.code === 0 ? JSON.parse(ended.stdout) : { parts: undefined };
  const sent = sandbox().messages();
  return { ...ended, texts: parts === undefined ? sent.map(({ message }) => message ?? "") : [parts.join("")] };
}

/** What stands around the text behind that door. */
function around(door: string, text: string): string {
  if (door === "words of a watch") return `${text} line`;
  return door === "--message of a rehearsal" ? `[for …${other.slice(-3)}] ${text}` : text;
}

describe.each(names)("the text of %s", needs("POSIX shell"), (door) => {
  it("is composed, with LF, and without white space at its end", async () => {
    const { texts } = await through(door, "Cafe\u0301\r\ntea\rat 5 \u00a0\r\n\r\n");

    expect(texts).toEqual([around(door, "Caf\u00e9\ntea\nat 5")]);
  });

  it("is counted as it is sent", async () => {
    const { code, texts } = await through(door, `${"e\u0301".repeat(1400)}\r\n`);

    expect({ code, texts }).toEqual({ code: 0, texts: [around(door, "\u00e9".repeat(1400))] });
  });

  it("has no API key", async () => {
    const { code, texts, stdout, stderr } = await through(door, "use sk_live_abcdefgh12345678");

    expect({ code, texts }).toEqual({ code: 2, texts: [] });
    expect(stdout + stderr).toContain("the message has an API key in it");
    expect(stdout + stderr).not.toContain("abcdefgh12345678");
  });
});

describe("a text that differs only in form", () => {
  const [form, decomposed] = ["Caf\u00e9\nat 5", "Cafe\u0301\r\nat 5 \u00a0\n"];
  const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };

  it("is the same under a key of --once", async () => {
    const once = ["send", "--to", to, "--once", "key", "--json", "-m"];
    await run([...once, form]);
    const { code, stdout } = await run([...once, decomposed]);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, replayed: true });
    expect(sandbox().messages()).toHaveLength(1);
  });

  it.each([
    ["its own", []],
    ["a field's", ["-m", "{{x}}"]],
  ])("is the same on another row of its number: %s", async (_, words) => {
    const both = file("list.csv", `${row(form)}${row(decomposed).split("\n").slice(1).join("\n")}`);
    expect((await run(["send", ...fast, "-r", both, "--allow-duplicates", ...words])).code).toBe(0);
    expect(sandbox().messages()).toHaveLength(1);
  });

  it.each([
    ["--message", () => ["-r", file("list.txt", to), "-m", form], () => ["-r", file("list.txt", to), "-m", decomposed]],
    ["a cell", () => ["-r", file("list.csv", row(form))], () => ["-r", file("list.csv", row(decomposed))]],
  ])("is the same for a run of that name, and for another run: %s", async (_, first, second) => {
    const name = ["send", ...fast, "--yes", "--run", "run"];
    const server = await startScriptedServer({ onRequest: accept() });
    const machine = { environment: { ...live.environment, SMS_BASE_URL: server.url } };
    expect((await run([...name, ...first()], machine)).code).toBe(0);
    expect(await run([...name, ...second()], machine)).toMatchObject({ code: 0 });
    const another = await run(["send", ...fast, "--yes", "--run", "next", "--json", ...second()], machine);
    expect(JSON.parse(another.stderr)).toMatchObject({ errorCode: "RUN_REPEATED" });
    expect(server.requests).toHaveLength(1);
  });
});

it("a line of a watch is sent without its key, and composed", async () => {
  const stdin = "Cafe\u0301: bad key sk_live_abcdefgh12345678, retry\n";

  const { code, stdout, stderr } = await run(["watch", "--to", to], { stdin });

  expect(code).toBe(0);
  expect(sandbox().messages()).toMatchObject([{ message: "Caf\u00e9: bad key (API key), retry" }]);
  expect(stdout + stderr).not.toContain("abcdefgh");
});

/** Doors of what a person gives to a command; a row has its own text as the list has it, and JSON no warnings. */
const ofPersons = names.filter((name) => !/^an? (?:column|field|cell|member)|literal|^preview/.test(name));

describe.each(ofPersons)("a person who gives the text by %s", needs("POSIX shell"), (door) => {
  it.each(["“Hi Ann”", "‘Hi’", "„Hi“"])("is warned of the quotes of %s", async (text) => {
    const { code, stderr, texts } = await through(door, text);

    expect({ code, texts }).toEqual({ code: 0, texts: [around(door, text)] });
    expect(stderr).toContain("around the text are sent as written");
  });

  it("is not warned of a quotation", async () => {
    const { stderr } = await through(door, "“Hi” and “you”");

    expect(stderr).not.toContain("are sent as written");
  });
});

const byOption = names.filter((name) => /^--message(?!, literal)|^notify$|^words|^preview$/.test(name));

it.each(byOption.flatMap((door) => ["file://note.txt", "@note.txt", "-"].map((text) => [door, text] as const)))(
  "the text of %s is not %s, a name of its source",
  async (door, text) => {
    const { code, texts } = await through(door, text);

    expect({ code, texts }).toEqual({ code: 2, texts: [] });
  },
);

describe.each(names.filter((name) => name.includes("standard input")))("the text of %s", (door) => {
  it.each([`${to}\n${other}\n`, "0712 345 678\r\n\r\n(0712) 345-679", '"254712345678",\n"254712345679",\n'])(
    "is no list of numbers: %j",
    async (text) => {
      const { code, stderr, texts } = await through(door, text);

      expect({ code, texts }).toEqual({ code: 2, texts: [] });
      expect(stderr).toContain("`sms send -r - -m TEXT`");
    },
  );

  it.each([to, "Call me:\n0712345678", "1\n2\n3"])("may be %j", async (text) => {
    expect(await through(door, text)).toMatchObject({ code: 0, texts: [text] });
  });
});
