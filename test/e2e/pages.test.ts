import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blocks, blockWith } from "../support/blocks.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { freePort } from "../support/free-port.ts";

/**
 * What the suite does with a block: runs it, for this exit code; runs what follows each `$ ` and compares what it shows,
 * or its labels alone; writes it to a file; runs what it stands for; compares the names in its JSON with those in the
 * output of a command; or leaves it to another test.
 */
type Check =
  | number
  | "shown"
  | "labels"
  | { readonly file: string }
  | { readonly run: (code: string) => string }
  | { readonly json: string }
  | { readonly elsewhere: string };

interface Page {
  /** What a reader of the page has. */
  readonly before?: string;
  readonly mode?: "live" | "test";
  readonly checks: readonly Check[];
}

const send = "sms send --to +254712345678 --message Hi --quiet";
const login = (mode: string, name: string) =>
  `printf sk_${mode}_sandbox | sms login --base-url $SMS_BASE_URL --with-key --quiet
  sms keys rename ${mode} ${name} --quiet`;
const customers = `printf 'phone,name,due\\n' > customers.csv
  for digit in 1 2 3 4 5; do echo +25471234567$digit,Ann,3 >> customers.csv; done`;
/** Has the history say that phones received what the sandbox took, because `sms spend` leaves out a sandbox. */
const asLive = String.raw`find "$SMS_STATE_DIR" -name "*.ndjson" -o -name run.json | while read -r file; do
  sed -i 's/"mode":"sandbox"/"mode":"live"/; s/,"isSandbox":true//' "$file"; done`;
const oncall = "mkdir -p $SMS_CONFIG_DIR/groups && echo +254712345679 > $SMS_CONFIG_DIR/groups/oncall.txt";
const backup = String.raw`printf '#!/bin/sh\n' > backup.sh; chmod +x backup.sh`;
const account = 'curl --silent --header "Authorization: Bearer $SMS_SANDBOX_TOKEN" $SMS_BASE_URL';

const proofWithOnce = `sed -i 's/ --message/ --once "deploy 17" --message/' tell.sh
  sms sandbox exec --every-fault -- sh tell.sh`;

const cron = (code: string) => code.replaceAll(/^(\S+ ){5}/gm, "").replaceAll(String.raw`\%`, "%");

const steps = (yaml: string) =>
  (parse(yaml) as { steps: { run?: string }[] }).steps.flatMap(({ run }) => run ?? []).join("\n");
const cleaning = (code: string) => code.replaceAll(/^(sms clean .*?) *(#.*)?$/gm, "$1 || test $? -eq 11");

/** Logs in as somebody does who has no key in the environment. */
const stored = (code: string) => `unset SMS_API_KEY\n${code.replaceAll("http://127.0.0.1:4010", "$SMS_BASE_URL")}`;

/** Requests each path of a list, none of which may be unknown. */
const requests = (code: string) =>
  [...code.matchAll(/^(?<method>[A-Z]+) +(?<path>[^\s;]+)/gm)]
    .map(
      ({ groups }) =>
        `${account}${groups?.["path"]} --request ${groups?.["method"]} --output answer --write-out '%{http_code}\\n'`,
    )
    .map((line) => `test "$(${line})" -ne 404`)
    .join("\n");

const docs = { elsewhere: "test/e2e/documents.test.ts" };
const packed = { elsewhere: "test/e2e/package.test.ts" };
const database = { elsewhere: "test/e2e/team-page.test.ts" };
const webhook = { elsewhere: "test/e2e/webhook.test.ts" };
const below = { elsewhere: "below" };

const pages: Readonly<Record<string, Page>> = {
  "README.md": {
    mode: "test",
    checks: [{ elsewhere: ".ci/run" }, packed, "shown", 0, { run: stored }, { file: "customers.csv" }, 0, docs, 0],
  },
  "docs/agents.md": { before: "unset SMS_API_KEY", checks: [{ run: stored }, 0, 0] },
  "docs/ci.md": { before: `${backup}; export COMMIT=c0ffee`, checks: [0, 0, 0, { run: steps }, below] },
  "docs/cron.md": {
    before: String.raw`printf '#!/bin/sh\necho phone,name,due; echo 0712345678,Ann,3\n' > export.sh
      chmod +x export.sh`,
    checks: [0, docs, 0, { run: cron }],
  },
  "docs/credentials.md": {
    before: `unset SMS_API_KEY; ${login("test", "test").replace("rename test test", "list")}`,
    checks: [{ run: stored }, 0, 0, 0],
  },
  "docs/guards.md": {
    before: `${login("test", "dev")}; ${customers}; sms optout add +254712345680`,
    mode: "test",
    checks: [0, 0, 0, 0, 0],
  },
  "docs/history.md": {
    before: `unset SMS_API_KEY; ${login("live", "prod")}; ${send}; ${send.replace("712345678", "700000598")}
      ${customers}; sms send --recipients customers.csv --message Hi --run topup --sender ACME --yes
      ${asLive}`,
    checks: ["labels", { run: cron }],
  },
  "docs/install.md": { checks: [packed, 0] },
  "docs/mailing.md": {
    before: customers,
    checks: [0, docs, docs, docs, docs],
  },
  "docs/message.md": { checks: [0, 0] },
  "docs/recipients.md": { before: oncall, checks: [{ file: "office.csv" }, { run: cleaning }, 0] },
  "docs/runs.md": {
    before: `${customers}; sms send --recipients customers.csv --message Hi --run welcome --quiet
      echo Hi > note.txt; echo +254712345670,Cleo,5 >> customers.csv`,
    mode: "test",
    checks: [0],
  },
  "docs/sandbox.md": {
    before: "export COMMIT=c0ffee",
    checks: [0, 0, 0, 0, "shown", { run: (code) => `${proofWithOnce}\n${requests(code)}` }],
  },
  "docs/scripting.md": {
    before: `unset SMS_API_KEY; ${login("live", "prod")}; ${customers}; ${send}; ${send}; ${asLive}`,
    checks: [
      "sms send --to +254712345678 --message Hi --sender ACME",
      "sms send --to +254700000402 --message Hi",
      "sms send --to +254712345678 --message Hi --dry-run",
      "sms optout add +254712345673 -q; echo +254700000400,Cleo,5 >> customers.csv; sms send --recipients customers.csv --message Hi --yes",
      "printf It’s | sms preview",
      "sms status",
      "SMS_API_KEY=sk_test_of_nobody sms status --check",
      "sms keys list",
      "sms history",
      "sms spend",
      `printf 'name;Mobile No.\\nA;0712 345 678\\nB;0712345679 / 0712345680\\nA;+254712345678\\n' > office.csv
        sms clean office.csv --country KE`,
    ].map((json) => ({ json: `${json} --json` })),
  },
  "docs/team.md": { checks: Array.from({ length: 8 }, () => database) },
  "docs/watch.md": {
    before: `${oncall}; echo FATAL > app.log`,
    checks: [
      0,
      { json: String.raw`printf 'FATAL disk full\nERROR 1\nERROR 2\n' | sms watch --to +254712345678 --json` },
      webhook,
      webhook,
      webhook,
      webhook,
      { run: (yaml) => (parse(yaml), "true") },
      { run: (unit) => /^ExecStart=(?<command>(?:.*\\\n)*.*)/m.exec(unit)?.groups?.["command"] ?? "false" },
    ],
  },
  "docs/why.md": { checks: ["shown"] },
};

/** Programs that a machine may lack, or that would not end; `sms` serves beside the block until the block has ended. */
const stand: Readonly<Record<string, string>> = {
  sms: `case "$1 \${2-}" in
  "sandbox "|"sandbox --"*) set -- "$@" --port "$PORT" ;;
  *) exec ${shellLine(program)} "$@" ;;
esac
${shellLine(program)} "$@" > "$HOME/server.log" 2>&1 &
echo $! > "$HOME/server"
until curl --silent --fail "http://127.0.0.1:$PORT/healthz" > /dev/null; do kill -0 $! || exit 1; done`,
  docker: `[ "$1" = build ] && exit 0; until [ "$1" = sms ]; do shift; done; exec "$@"`,
  op: "echo sk_live_sandbox",
  make: "exit 0",
  journalctl: "echo ERROR disk full",
  tail: 'cat "$2"',
};

const scripted = needs("POSIX shell", "curl", "jq", "CI to be set");

function idsHidden(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID").replaceAll(/ +$/gm, "");
}

/** The names in JSON, as `by.name`; of what is written with … for more, and broken into lines. */
function namesIn(text: string): readonly string[] {
  const lines = text
    .replaceAll(/\n +/g, "")
    .replaceAll(/,…(?=[}\]])/g, "")
    .trim()
    .split("\n");
  const values = lines.map((line) => JSON.parse(line) as unknown);
  const under = (value: unknown, path: string): readonly string[] =>
    Array.isArray(value)
      ? value.flatMap((member) => under(member, path))
      : typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([name, member]) => [`${path}${name}`, ...under(member, `${path}${name}.`)])
        : [];
  return [...new Set(values.flatMap((value) => under(value, "")))].toSorted();
}

function scriptOf(code: string, check: Check): string {
  if (typeof check === "number") {
    const name = /^# (\S+\.sh)$/m.exec(code)?.[1];
    return name === undefined ? code : `cat > ${name} <<'END OF SCRIPT'\n${code}END OF SCRIPT\nsh ${name}`;
  }
  if (typeof check === "string") {
    const commands = [...code.matchAll(/^\$ (?<command>.*)$/gm)].map(({ groups }) => `${groups?.["command"]} || true`);
    return [check === "shown" ? "export SMS_STATE_DIR=$HOME/nothing-yet" : "", ...commands].join("\n");
  }
  if ("file" in check) return `cat > ${check.file} <<'END OF FILE'\n${code}END OF FILE`;
  if ("run" in check) return check.run(code);
  return "json" in check ? check.json : "";
}

interface Ended {
  readonly end: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the blocks of a page one after the other, in a folder and a sandbox of their own. */
async function runBlocks(path: string, { before = "", mode = "live", checks }: Page): Promise<readonly Ended[]> {
  const home = mkdtempSync(join(tmpdir(), "sms-page-"));
  try {
    mkdirSync(join(home, "bin"));
    for (const [name, script] of Object.entries(stand)) {
      writeFileSync(join(home, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const port = await freePort();
    const places = [
      [/https:\/\/HOST/g, "$SMS_BASE_URL"],
      [/me@example\.com/g, "sandbox@example.com"],
      [/127\.0\.0\.1:4010|sms-sandbox:4010/g, `127.0.0.1:${port}`],
      [/\$TOKEN/g, "$(sed -n 's/.*token=//p' $HOME/server.log)"],
      [/08:00-20:00/g, "00:00-23:59"],
      [/\/var\/lib\/reminders/g, "$HOME/reminders"],
      [/\/usr\/local\/bin\/disk/g, "sh ./disk"],
    ] as const;
    const scripts = blocks(path).map(({ code }, index) => {
      const script = scriptOf(code, checks[index] ?? 0);
      const here = places.reduce((text, [place, ours]) => text.replaceAll(place, ours), script);
      return `( set -e\n${here}\n) > out-${index} 2> err-${index} < /dev/null
        echo $? > end-${index}; if [ -f server ]; then kill $(cat server); rm server; fi`;
    });
    writeFileSync(join(home, "page.sh"), `SMS_API_KEY=sk_${mode}_sandbox\n${before}\n${scripts.join("\n")}\n`);
    const PATH = [join(home, "bin"), process.env["PATH"]].join(delimiter);
    const [command, ...words] = [...program, "sandbox", "exec", "--", "sh", "page.sh"];
    spawnSync(command, words, { cwd: home, env: { HOME: home, LC_ALL: "C.UTF-8", PORT: String(port), PATH } });
    const read = (name: string) => readFileSync(join(home, name), "utf8");
    return scripts.map((_, index) => ({
      end: Number(read(`end-${index}`)),
      out: read(`out-${index}`),
      err: read(`err-${index}`),
    }));
  } finally {
    rmSync(home, { recursive: true });
  }
}

function compared(code: string, check: Check, { end, out, err }: Ended): readonly [unknown, unknown] {
  if (check === "shown") return [idsHidden(out + err), idsHidden(code).replaceAll(/^\$ .*\n/gm, "")];
  if (check === "labels") {
    const labels = (text: string) => text.match(/^ {2}[A-Z]\w+|(?<= {2})[A-Z]{3,}/gm);
    // Without a terminal, times are in UTC.
    return [labels(out), labels(code.replace("LOCAL TIME ", "TIME (UTC) "))];
  }
  if (typeof check === "object" && "json" in check) {
    const names = namesIn(out || err);
    const lacking = namesIn(code).filter((name) => !names.includes(name));
    const written = code + readFileSync("docs/scripting.md", "utf8");
    const unwritten = names.filter((name) => !new RegExp(`["\`]${name.split(".").at(-1)}["\`]`).test(written));
    return [
      { lacking, unwritten },
      { lacking: [], unwritten: [] },
    ];
  }
  return [`${end} ${err}`, `${typeof check === "number" ? check : 0} ${err}`];
}

describe("the blocks of the pages", () => {
  const all = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter(
    (path) => path.endsWith(".md") && blocks(path).length > 0,
  );

  it("are all in the table", () => {
    const counted = Object.entries(pages).map(([path, { checks }]) => [path, checks.length]);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(all.map((path) => [path, blocks(path).length])));
  });

  it.each(Object.entries(pages))("of %s do what it says", scripted, async (path, page) => {
    const ended = await runBlocks(path, page);
    const pairs = blocks(path).map(({ code }, index) => {
      const found = ended[index];
      return found === undefined ? [] : compared(code, page.checks[index] ?? 0, found);
    });

    expect(pairs.map(([found]) => found)).toEqual(pairs.map(([, wanted]) => wanted));
  });
});

describe("the first script of docs/ci.md", needs("bash"), () => {
  const script = blocks("docs/ci.md")[0]?.code ?? "";
  const notSent = "it was not sent\n";
  const maybe = "it may have gone out\n";

  it.each([["sh"], ["bash", "-e"]])(
    "tells what became of the message, and ends as sms did: %s %s",
    (shell, ...flags) => {
      const answers = [0, 2, 8, 10, 12].map((code) => {
        const line = `sms() { return ${code}; }\n${script}`;
        const { status, stdout } = spawnSync(shell, [...flags, "-c", line], { encoding: "utf8" });
        expect(status).toBe(code);
        return `${code} ${stdout}`;
      });
      expect(answers).toEqual(["0 ", `2 ${notSent}`, `8 ${maybe}`, `10 ${maybe}`, `12 ${notSent}`]);
    },
  );
});

describe("the action in docs/ci.md", () => {
  it("has the inputs of the action", () => {
    const [step] = parse(blockWith("docs/ci.md", "- uses: OWNER/NAME/")) as readonly [
      { readonly uses: string; readonly with: object },
    ];
    const { inputs } = parse(
      readFileSync(join(step.uses.replace(/^OWNER\/NAME\/|@.*$/g, ""), "action.yml"), "utf8"),
    ) as { readonly inputs: object };

    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  });
});
