import { describe, expect, it } from "vitest";
import type { Host, Output } from "../../src/host.ts";
import { presenterFor, type Style, type View } from "../../src/terminal/presenter.ts";
import { createRedactor } from "../../src/terminal/redact.ts";

const human: Style = { json: false, quiet: false, color: true, verbose: false };
const quiet: Style = { ...human, quiet: true };
const json: Style = { ...human, json: true };

const parcel: View = {
  json: () => ({ parcel: 7 }),
  quiet: () => ["7", "8"],
  text: ({ columns, paint }) => `${paint.good("Parcel 7")} on ${columns} columns\n`,
};

/** A presenter, and what it has written so far. */
async function presenting(style: Style, hasColor = false, isTerminal = false) {
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
  const host = {
    stdout: output("stdout"),
    stderr: output("stderr"),
    environment: { CI: "1" },
  } as Partial<Host> as Host;
  return { presenter: await presenterFor(host, redactor, style), redactor, written };
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

describe("a result", () => {
  it("is text for a person", async () => {
    const { presenter, written } = await presenting(human);
    presenter.show(parcel);
    expect(written).toEqual({ stdout: "Parcel 7 on 60 columns\n", stderr: "" });
  });

  it("is coloured if the stream has colours and --no-color is not given", async () => {
    for (const [color, stdout] of [
      [true, "\u001b[32mParcel 7\u001b[39m on 60 columns\n"],
      [false, "Parcel 7 on 60 columns\n"],
    ] as const) {
      const { presenter, written } = await presenting({ ...human, color }, true);
      presenter.show(parcel);
      expect(written.stdout).toBe(stdout);
    }
  });

  it("is a line for each item with --quiet", async () => {
    const { presenter, written } = await presenting(quiet);
    presenter.show(parcel);
    expect(written).toEqual({ stdout: "7\n8\n", stderr: "" });
  });

  it("is one line with --json, without colours, also with --quiet", async () => {
    const { presenter, written } = await presenting({ ...json, quiet: true }, true);
    presenter.show(parcel);
    presenter.show({ ...parcel, json: () => ["a", "b"] });
    expect(written).toEqual({ stdout: '{"parcel":7}\n["a","b"]\n', stderr: "" });
  });

  it("is rendered in no other form than the one asked for", async () => {
    const never = (): never => expect.unreachable("rendered a form that nobody asked for");
    const other: View = { json: never, quiet: never, text: never };
    (await presenting(human)).presenter.show({ ...other, text: parcel.text });
    (await presenting(quiet)).presenter.show({ ...other, quiet: parcel.quiet });
    (await presenting(json)).presenter.show({ ...other, json: parcel.json });
    expect.assertions(0);
  });
});

describe("a sentence on stderr", () => {
  it("is shown to a person, with a heading if it is a warning", async () => {
    const { presenter, written } = await presenting(human, true);
    presenter.note("No parcels.");
    presenter.warn("The parcel is late.");
    presenter.trace("> POST /parcels");
    expect(written).toEqual({
      stdout: "",
      stderr: "No parcels.\n\u001b[33mWarning:\u001b[39m The parcel is late.\n> POST /parcels\n",
    });
  });

  it.each([quiet, json])("is left out with %j, unless it is a trace that a flag asked for", async (style) => {
    const { presenter, written } = await presenting(style);
    presenter.note("No parcels.");
    presenter.warn("The parcel is late.");
    presenter.trace("> POST /parcels");
    expect(written).toEqual({ stdout: "", stderr: "> POST /parcels\n" });
  });
});

describe("a warning with --json", () => {
  it("joins the next result, once", async () => {
    const { presenter, written } = await presenting(json);
    presenter.warn("late");
    presenter.warn("wet");
    presenter.show(parcel);
    presenter.show(parcel);
    expect(written.stdout).toBe('{"parcel":7,"warnings":["late","wet"]}\n{"parcel":7}\n');
  });

  it("joins those that the result has itself", async () => {
    const { presenter, written } = await presenting(json);
    presenter.warn("late");
    presenter.show({ ...parcel, json: () => ({ parcel: 7, warnings: ["wet"] }) });
    expect(written.stdout).toBe('{"parcel":7,"warnings":["wet","late"]}\n');
  });

  it("joins the next failure, or the object after a list", async () => {
    const { presenter, written } = await presenting(json);
    presenter.warn("late");
    presenter.show({ ...parcel, json: () => [7] });
    presenter.fail({ kind: "usage", message: "no parcel", errorCode: "NO_PARCEL" });
    expect(written).toEqual({
      stdout: "[7]\n",
      stderr: '{"error":"no parcel","errorCode":"NO_PARCEL","exitCode":2,"warnings":["late"]}\n',
    });
  });
});

describe("a failure", () => {
  it.each([human, quiet])("says what happened, what it means and what to do: %j", async (style) => {
    const { presenter, written } = await presenting(style);
    presenter.fail(refusal);
    expect(written).toEqual({
      stdout: "",
      stderr: [
        "Rejected: Invalid credentials (HTTP 401, UNAUTHORIZED)",
        "  line 1",
        "  line 2",
        "  The service refused the message: nothing was sent.",
        "  Next: check the key",
        "",
      ].join("\n"),
    });
  });

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

  it("says the status once, and names what failed", async () => {
    const { presenter, written } = await presenting(human);
    const error = { message: "the service failed: HTTP 502", errorCode: "SERVER_ERROR", httpStatus: 502 } as const;
    presenter.fail({ kind: "server-error", outcome: "uncertain", ...error });
    expect(written.stderr).toMatch(/^Uncertain: the service failed: HTTP 502 \(SERVER_ERROR\)\n/);
  });

  it("is an error without an outcome if it is not about a message", async () => {
    const { presenter, written } = await presenting(human);
    presenter.fail({ kind: "usage", message: "there is no command", errorCode: "NO_COMMAND" });
    expect(written.stderr).toBe("Error: there is no command\n");
  });

  it("is one line on stderr with --json", async () => {
    const { presenter, written } = await presenting(json);
    presenter.fail(refusal);
    expect(written.stdout).toBe("");
    expect(written.stderr).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(written.stderr)).toEqual({
      error: "Invalid credentials",
      errorCode: "UNAUTHORIZED",
      httpStatus: 401,
      outcome: "rejected",
      exitCode: 4,
      hint: "check the key",
      details: ["line 1", "line 2"],
    });
  });
});

describe("text from elsewhere", () => {
  const hostile = "\u001b[2Jsk_live_0123456789 hunter2";
  const shown = "\\u001b[2Jsk_live_[redacted] [redacted]";

  it.each([human, json])("holds no secret and no control character: %j", async (style) => {
    const { presenter, redactor, written } = await presenting(style);
    redactor.learnWord("hunter2");
    presenter.warn(hostile);
    presenter.show({
      json: ({ foreign }) => ({ text: foreign(hostile) }),
      quiet: () => [],
      text: ({ foreign }) => `${foreign(hostile)}\n`,
    });
    presenter.warn(hostile);
    presenter.fail({
      ...refusal,
      message: hostile,
      errorCode: hostile,
      hint: hostile,
      details: [hostile],
    });
    expect(written.stdout.split(shown).length - 1).toBe(style.json ? 2 : 1);
    expect(written.stderr.split(shown).length - 1).toBe(style.json ? 5 : 6);
    expect(written.stdout + written.stderr).not.toMatch(/\u001b|hunter2|0123456789/);
  });

  it("is cut in the log of the wire, after it is redacted", async () => {
    const { presenter, written } = await presenting({ ...human, verbose: true });
    const body = Buffer.from(`${"x".repeat(490)} sk_live_0123456789 ${"y".repeat(60_000)}`);
    const log = presenter.wireLog?.();
    log?.({ kind: "exchange", exchange: { kind: "answered", answer: { status: 502, headers: {} }, body } });
    const [status, line = ""] = written.stderr.split("\n");
    expect([status, line.length]).toEqual(["< HTTP 502", 500 + "< … (60,010 characters more)".length]);
    expect(line).not.toContain("0123");
  });

  it("cannot control the terminal as a trace", async () => {
    const { presenter, written } = await presenting(json);
    presenter.trace("a\u001b[2J\nb");
    expect(written.stderr).toBe("a\\u001b[2J\\u000ab\n");
  });
});
