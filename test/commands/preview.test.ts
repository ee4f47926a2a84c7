import { describe, expect, it } from "vitest";
import { sms } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { widest } from "../terminal/page.ts";

describe("sms preview", () => {
  it("shows the segments, and what raises their number", async () => {
    const text = `It’s time: ${"a".repeat(60)}`;
    const { code, stdout, stderr } = await sms(["preview", "--message", text]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        "UCS-2, 71 units, 2 segments, 63 units left, 2 credits",
        "",
        `  1 │ It’s time: ${"a".repeat(56)}`,
        "  2 │ aaaa",
        "",
        "1 character that GSM-7 does not have, which cost 1 segment more:",
        "  ’  U+2019 at 1:3, --gsm7 makes it '",
        "",
        "With --gsm7: 1 segment, 1 fewer.",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("fits a narrow terminal", async () => {
    const { stdout } = await sms(["preview", "-m", `It’s due: ${"a".repeat(80)}`], { isTerminal: true, columns: 40 });
    expect(widest(stdout)).toBe(40);
  });

  it("gives a script one line of JSON", async () => {
    const { stdout } = await sms(["preview", "--json", "-m", `${"a".repeat(70)}\n’ж`]);
    expect(JSON.parse(stdout)).toEqual({
      encoding: "UCS-2",
      units: 73,
      segments: 2,
      unitsLeft: 61,
      parts: ["a".repeat(67), "aaa\n’ж"],
      nonGsm7: [
        { character: "’", codePoint: "U+2019", line: 2, column: 1, gsm7: "'" },
        { character: "ж", codePoint: "U+0436", line: 2, column: 2, gsm7: null },
      ],
      extraSegments: 1,
      gsm7: { text: `${"a".repeat(70)}\n'ж`, segments: 2 },
      kesPerCredit: null,
    });
  });

  it("replaces with --gsm7 what send would, and says so", async () => {
    const { stdout, stderr } = await sms(["preview", "--gsm7", "-m", "a’\u00a0b\u200b 😀"]);
    expect(stderr).toBe("Warning: replaced for GSM-7: ’ by ', U+00A0 by a space, U+200B by nothing\n");
    expect(stdout).toContain("  1 │ a' b 😀\n");
  });

  it("leaves look-alikes unchanged with --gsm7 if replacing them needs more segments", async () => {
    const text = `😀${"a".repeat(67)}…`;
    const { stdout } = await sms(["preview", "--gsm7", "--json", "-m", text]);
    expect(JSON.parse(stdout)).toMatchObject({ segments: 1, parts: [text] });
  });

  it("never connects to the record of a team", async () => {
    const silent = await startScriptedServer();
    const record = `postgres://sms@127.0.0.1:${silent.port}/sms`;
    const environment = { SMS_RECORD: record, SMS_BASE_URL: "http://127.0.0.1:9", SMS_API_KEY: "sk_test_x" };
    const { code, stdout } = await sms(["preview", "-m", "Hi", "--json"], { environment });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, kesPerCredit: null });
    expect(silent.connections()).toBe(0);
  }, 5_000);
});
