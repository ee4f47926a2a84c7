import { describe, expect, it } from "vitest";
import { planText, planView, type ShownPlan } from "../../src/sending/views/plan-view.ts";
import { addToSample, type DraftMessage, newSample } from "../../src/record/plan.ts";
import { sendPath } from "../../src/service/address.ts";
import { terminal, widest } from "./page.ts";

const text =
  "Hi Ann, you owe KES 300. Please pay by Friday at the latest, or call us back on this number before noon.\nThank you!";

const destination = {
  kind: "service",
  profile: "default",
  address: { origin: "https://sms.example.com", basePath: "", isLoopback: false },
  path: sendPath,
  credentials: { kind: "key", key: { mode: "live", secret: "sk_live_x0123456789a1b2" } },
  keyCommand: undefined,
  key: { name: "prod", added: "2026-11-01" },
  sources: { baseUrl: "profile", credentials: "profile" },
  otherService: undefined,
  warnings: [],
  mode: "live",
  isSandbox: false,
  proxy: undefined,
  close: async () => {},
} as const;

function sampleOf(...messages: readonly DraftMessage[]) {
  const sample = newSample();
  for (const message of messages) addToSample(sample, message);
  return sample;
}

function row(line: number, name: string, segments: number): DraftMessage {
  return { line, to: `+2547123450${line}`, text: `Hi ${name}, thank you!`, segments, fields: { name } };
}

const plan: ShownPlan = {
  run: "march",
  source: "customers.csv",
  messages: 1234,
  segments: 2468,
  sample: sampleOf({ line: 2, to: "+254712345678", text, segments: 2, sender: { kind: "name", name: "ACME" } }),
  destination,
  account: {
    price: { kesPerCredit: 0.8, ageDays: 3 },
    balance: { credits: 2468, at: "2026-11-20T10:00:00.000Z", ageDays: 2 },
  },
  rate: 100,
  fitToday: undefined,
  rules: ["only to the 2,000 numbers of --only-to staff.txt"],
  notes: {
    leftOut: { duplicate: 1 },
    firstLeftOut: ["line 7: +254712345678 is already on line 2"],
    warnings: ["12 numbers are in no range known to be in use, such as +254000000000"],
  },
};

const textOf = (change: Partial<ShownPlan>, columns = 80) => planText({ ...plan, ...change }, terminal(columns));

const painted = { ...terminal(80), paint: { ...terminal(80).paint, charged: (word: string) => `<${word}>` } };

it.each<readonly [string, Partial<ShownPlan>, string]>([
  ["with a live key", {}, "<LIVE    >"],
  ["that goes on", { ofAll: "2,000 messages" }, "<LIVE    >"],
  ["of an account", { destination: { ...destination, mode: "account" } }, "<LIVE    >"],
  ["with a test key", { destination: { ...destination, mode: "test" } }, "TEST    "],
  ["with a live key of a sandbox", { destination: { ...destination, isSandbox: true } }, "SANDBOX "],
  ["of somebody who has not logged in", { destination: { kind: "not-logged-in" }, account: undefined }, "DRY RUN "],
])("the head of a plan says by colour and by words whether it is charged: %s", (_, change, head) => {
  expect(planText({ ...plan, ...change }, painted)).toMatch(new RegExp(`^  ${head}`));
});

describe("the plan of a run", () => {
  it("shows what is sent, by whom, to where and at what cost, on 80 columns", () => {
    expect(textOf({}).split("\n")).toEqual([
      "  LIVE      1,234 messages, to real phones",
      "            2,468 segments, 2,468 credits, KES 1,974.40 at the price of 3 days",
      "            ago",
      "            about 13 minutes, at 100 a minute",
      "",
      "  From      ACME",
      "  First     line 2, +254712345678",
      "  Text      Hi Ann, you owe KES 300. Please pay by Friday at the latest, or call",
      "            us back on this number before noon.⏎",
      "            Thank you!",
      "  Left out  1 duplicate",
      "  Left out  line 7: +254712345678 is already on line 2",
      "  Warning   12 numbers are in no range known to be in use, such as +254000000000",
      "  Guard     only to the 2,000 numbers of --only-to staff.txt",
      "  File      customers.csv",
      "  Run       march",
      '  Key       sk_live_…a1b2 (from key "prod" of profile "default")',
      "  Base URL  https://sms.example.com",
      "",
    ]);
  });

  it.each([80, 50])("fits %d columns", (columns) => {
    const long = { source: `/srv/${"folder/".repeat(12)}list.csv`, run: "r".repeat(64) };
    expect(widest(textOf(long, columns))).toBeLessThanOrEqual(columns);
  });

  it("is not wrapped where it is not a terminal", () => {
    expect(planText(plan, { ...terminal(80), isTerminal: false })).toContain(`${plan.notes.warnings[0]}\n`);
  });

  it("cuts a long text, and a dry run does not", () => {
    const first = { line: 2, to: "+254712345678", text: "0123456789 ".repeat(140).trim(), segments: 11 };
    const long = { ...plan, sample: { ...sampleOf(first), sendersDiffer: true } };

    const shown = planText(long, terminal(80));

    expect(shown).toContain("            … and 18 more lines\n  Left out");
    expect(shown.split("0123456789")).toHaveLength(37);
    expect(shown).toContain("  From      the account's default sender, and others named by rows\n");
    expect(planView(long).text(terminal(80)).split("0123456789")).toHaveLength(141);
  });

  it("names six of the rows that are left out, and says where the others are", () => {
    const firstLeftOut = Array.from({ length: 9 }, (_, index) => `line ${index}: twice`);
    const notes = { ...plan.notes, leftOut: { duplicate: 1400, optedOut: 6 }, firstLeftOut };
    const page = { ...terminal(80), isTerminal: false };

    const ofFile = planView({ ...plan, notes: { ...notes, clean: "sms clean 'my list.csv'" } }).text(page);
    const typed = planView({ ...plan, notes }).text(page);

    expect(ofFile.split(": twice\n")).toHaveLength(7);
    expect(ofFile).toContain("  Left out  … and 1,400 more: `sms clean 'my list.csv' --json` lists every row that is");
    expect(typed).toContain("  Left out  … and 1,400 more\n");
  });

  it("names an account, and neither payer nor address of a sandbox", () => {
    const credentials = { kind: "account", email: "desk@acme.example", password: "" } as const;
    const sources = { baseUrl: "profile", credentials: "SMS_EMAIL and SMS_PASSWORD" };
    expect(textOf({ destination: { ...destination, key: undefined, credentials, sources } })).toContain(
      "  Account   desk@acme.example (from SMS_EMAIL and SMS_PASSWORD)\n",
    );
    expect(textOf({ destination: { ...destination, mode: "sandbox" } })).not.toMatch(/Key|Base URL/);
  });

  it("cannot drive the terminal", () => {
    const first = { line: 2, to: "+254712345678", text: "\u001b[2Jboo\u202e", segments: 1 };
    const second = { ...row(3, "\u202e\u001b[2J\u202e", 2), fields: { "\u001b[2Jname": "\u202e" } };
    expect(textOf({ source: "\u001b[2J.csv", sample: sampleOf(first, second) })).not.toMatch(/[\u001b\u202e]/);
  });

  it("is one object for a script, of a dry run without a name too", () => {
    expect(planView({ ...plan, run: undefined }).json(terminal(80))).toEqual({
      type: "plan",
      dryRun: true,
      run: null,
      recipients: 1234,
      segments: 2468,
      totalCredits: 2468,
      kesPerCredit: 0.8,
      rate: 100,
      mode: "live",
      guards: plan.rules,
      ...plan.notes,
      source: "customers.csv",
      balance: { credits: 2468, at: "2026-11-20T10:00:00.000Z", missing: 0 },
      fitToday: null,
      first: { line: 2, to: "+254712345678", message: text, senderIdName: "ACME" },
      baseUrl: "https://sms.example.com",
      key: { name: "prod", shown: "sk_live_…a1b2" },
    });
    expect(textOf({ run: undefined })).not.toContain("Run ");
  });
});

it.each([80, 50])("the plan of one message shows the whole text on %d columns", (columns) => {
  const single = { encoding: "GSM-7", units: 115, segments: 1 } as const;
  const page = { ...plan, single, run: undefined, source: undefined, messages: 1, rules: [] };
  const shown = planView(page).text(terminal(columns));
  expect(widest(shown)).toBeLessThanOrEqual(columns);
  expect(shown.replaceAll(/\s+/g, " ")).toContain(`Text ${text.replace("\n", "⏎ ")} Encoding GSM-7, 115 septets`);
});
