import { describe, expect, it } from "vitest";
import type { Host, Output } from "../../src/host.ts";
import type { Presenter, OutputStyle, View } from "../../src/terminal/context.ts";
import { presenterFor } from "../../src/terminal/presenter.ts";
import { createRedactor } from "../../src/terminal/redact.ts";

const human: OutputStyle = { json: false, quiet: false, color: true, verbose: false };
const quiet: OutputStyle = { ...human, quiet: true };
const json: OutputStyle = { ...human, json: true };

const parcel: View = {
  json: () => ({ parcel: 7 }),
  quiet: () => ["7", "8"],
  text: ({ columns, paint }) => `${paint.good("Parcel 7")} on ${columns} columns\n`,
};

async function presenting(style: OutputStyle, hasColor = false, isTerminal = false) {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr"): Output => ({
    isTerminal: () => isTerminal,
    hasColor: () => hasColor,
    columns: () => 60,
    write: (text) => (written[name] += text),
    flush: () => Promise.resolve(),
    failure: () => undefined,
  });
  const redactor = createRedactor();
  const host: Partial<Host> = { stdout: output("stdout"), stderr: output("stderr"), environment: { CI: "1" } };
  return { presenter: await presenterFor(host as Host, redactor, style), redactor, written };
}

const refusal = {
  kind: "unauthorized",
  message: "Invalid credentials",
  errorCode: "UNAUTHORIZED",
  httpStatus: 401,
  outcome: "rejected",
  hint: "check the key",
  details: ["line 1", "line 2"],
} as const;

const sentences = (presenter: Presenter) => {
  presenter.note("No parcels.");
  presenter.warn("The parcel is late.");
  presenter.always("> POST /parcels");
};

interface Case {
  readonly what: string;
  readonly style: OutputStyle;
  readonly hasColor?: boolean;
  readonly act: (presenter: Presenter) => void;
  readonly stdout?: string;
  readonly stderr?: string;
}

const cases: readonly Case[] = [
  {
    what: "a result is one line with --json, without colours, also with --quiet",
    style: { ...json, quiet: true },
    hasColor: true,
    act: ({ show }) => [parcel, { ...parcel, json: () => ["a", "b"] }].forEach(show),
    stdout: '{"parcel":7}\n["a","b"]\n',
  },
  {
    what: "a sentence is shown to a person, with a heading if it is a warning",
    style: human,
    hasColor: true,
    act: sentences,
    stderr: "No parcels.\n\u001b[35mWarning:\u001b[39m The parcel is late.\n> POST /parcels\n",
  },
  { what: "--quiet leaves out what no flag asked for", style: quiet, act: sentences, stderr: "> POST /parcels\n" },
  { what: "--json leaves out what no flag asked for", style: json, act: sentences, stderr: "> POST /parcels\n" },
  {
    what: "a warning joins those that the JSON has itself",
    style: json,
    act: ({ warn, show }) => (warn("late"), show({ ...parcel, json: () => ({ parcel: 7, warnings: ["wet"] }) })),
    stdout: '{"parcel":7,"warnings":["wet","late"]}\n',
  },
  {
    what: "a warning joins the next failure, or the object after a list",
    style: json,
    act: ({ warn, show, fail }) => {
      warn("late");
      show({ ...parcel, json: () => [7] });
      fail({ kind: "usage", message: "no parcel", errorCode: "NO_PARCEL" });
    },
    stdout: "[7]\n",
    stderr: '{"error":"no parcel","errorCode":"NO_PARCEL","exitCode":2,"warnings":["late"]}\n',
  },
  {
    what: "a trace cannot control the terminal",
    style: json,
    act: ({ always }) => always("a\u001b[2J\nb"),
    stderr: "a\\u001b[2J\\u000ab\n",
  },
  ...[human, quiet].map((style) => ({
    what: `a failure says what happened, what it means and what to do${style.quiet ? ", with --quiet too" : ""}`,
    style,
    act: ({ fail }: Presenter) => fail(refusal),
    stderr: [
      "Rejected: Invalid credentials (HTTP 401, UNAUTHORIZED)",
      "  line 1",
      "  line 2",
      "  The service refused the message: nothing was sent.",
      "  Next: check the key",
      "",
    ].join("\n"),
  })),
  {
    what: "a failure is an error without an outcome if it is not about a message",
    style: human,
    act: ({ fail }) => fail({ kind: "usage", message: "there is no command", errorCode: "NO_COMMAND" }),
    stderr: "Error: there is no command\n",
  },
];

it.each(cases)("$what", async ({ style, hasColor, act, stdout = "", stderr = "" }) => {
  const { presenter, written } = await presenting(style, hasColor);

  act(presenter);

  expect(written).toEqual({ stdout, stderr });
});

describe("a failure", () => {
  it("breaks between words on a terminal, and never inside a command", async () => {
    const { presenter, written } = await presenting(human, true, true);

    presenter.warn("the run was begun by an earlier version, and ends with this one");
    presenter.fail({
      ...refusal,
      hint: "find out what it was, then type `sms runs resume topup --retry uncertain` in the same folder",
      details: ["line 17: the number has a letter in it, so it is not sent to"],
    });

    expect(written.stderr.replace(/\u001b\[\d+m/g, "").split("\n")).toEqual([
      "Warning: the run was begun by an earlier version, and ends",
      "  with this one",
      "Rejected: Invalid credentials (HTTP 401, UNAUTHORIZED)",
      "  line 17: the number has a letter in it, so it is not sent",
      "    to",
      "  The service refused the message: nothing was sent.",
      "  Next: find out what it was, then type",
      "    `sms runs resume topup --retry uncertain` in the same",
      "    folder",
      "",
    ]);
  });
});

describe("text from elsewhere", () => {
  const hostile = "\u001b[2Jsk_live_0123456789 hunter2";
  const shown = "\\u001b[2Jsk_live_[redacted] [redacted]";

  it.each([human, json])("holds no secret and no control character: %j", async (style) => {
    const { presenter, redactor, written } = await presenting(style);
    redactor.learn("hunter2");
    presenter.warn(hostile);
    const text: View["text"] = ({ foreign }) => `${foreign(hostile)}\n`;
    presenter.show({ json: ({ foreign }) => ({ text: foreign(hostile) }), text });
    presenter.warn(hostile);
    presenter.fail({ ...refusal, message: hostile, errorCode: hostile, hint: hostile, details: [hostile] });

    expect(written.stdout.split(shown).length - 1).toBe(style.json ? 2 : 1);
    expect(written.stderr.split(shown).length - 1).toBe(style.json ? 5 : 6);
    expect(written.stdout + written.stderr).not.toMatch(/\u001b|hunter2|0123456789/);
  });

  it("is cut in the log of the wire, after it is redacted", async () => {
    const { presenter, written } = await presenting({ ...human, verbose: true });
    const body = Buffer.from(`${"x".repeat(490)} sk_live_0123456789 ${"y".repeat(60_000)}`);
    const log = presenter.wireLog?.();
    log?.({ kind: "exchange", exchange: { kind: "answered", answer: { url: "", status: 502, headers: {} }, body } });
    const [status, line = ""] = written.stderr.split("\n");
    expect([status, line.length]).toEqual(["< HTTP 502", 500 + "< … (60,010 characters more)".length]);
    expect(line).not.toContain("0123");
  });
});
