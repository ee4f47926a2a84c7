import { describe, expect, it } from "vitest";
import { fast, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, send } = withRuns();

const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
/** A day that has room for so many messages. */
const limited = (credits: number) => ({ environment: { ...live.environment, SMS_DAILY_CREDITS: String(credits) } });

const resume = ["runs", "resume", "march", ...fast];

/** The arguments of a run of 5, with a text and a name. */
function five(text: string, name: string): readonly string[] {
  return ["-r", file("list.txt", numbers(5).join("\n")), "-m", text, "--run", name];
}

/** Sends the first 2 of the run march, whose text has a mistake. */
const begun = () => send([...five("Hi Anm", "march"), "--yes"], limited(2));

async function refusalOf(args: readonly string[]) {
  const { code, stderr } = await run([...args, "--json"], live);
  return { code, ...JSON.parse(stderr) };
}

describe("sms runs close", () => {
  it("ends a run: its receipts stay, and nothing more is sent under its name", async () => {
    await begun();
    const { code, stdout } = await run(["runs", "close", "march"], live);
    expect([code, stdout]).toEqual([
      0,
      "Closed run march: 2 of 5 accepted; nothing more is sent under its name. `sms send … --run march-2 --exclude run:march` sends to those it did not reach.\n",
    ]);
    for (const args of [
      ["send", ...fast, ...five("Hi Anm", "march"), "--yes"],
      ["send", ...fast, ...five("Hi Anm", "march"), "--dry-run"],
      ["send", ...fast, ...five("Hi Ann", "march"), "--yes"],
      [...resume, "--yes"],
      [...resume, "--yes", "--retry", "rejected,uncertain"],
    ])
      expect(await refusalOf(args)).toMatchObject({
        code: 2,
        errorCode: "RUN_CLOSED",
        hint: "`--run march-2 --exclude run:march` sends to those it did not reach",
      });
    expect(accepted()).toHaveLength(2);
    // Once more changes nothing.
    expect(await run(["runs", "close", "march", "--json"], live)).toMatchObject({
      code: 0,
      stdout: '{"closed":"march"}\n',
    });
    expect(await refusalOf(["runs", "close", "marsh"])).toMatchObject({ code: 2, errorCode: "UNKNOWN_RUN" });
  });

  it("is said where runs are shown, and nothing offers to resume the run any more", async () => {
    await begun();
    await run(["runs", "close", "march"], live);
    expect((await run(["runs", "list"])).stdout).toMatch(/march .* 2 of 5 .*3 not tried yet, closed\n/);
    expect(JSON.parse((await run(["runs", "list", "--json"])).stdout)).toMatchObject([{ run: "march", closed: true }]);
    const { stdout } = await run(["runs", "show", "march"]);
    expect(stdout).toContain("  Closed: nothing more is sent under this name.\n");
    expect(stdout).not.toContain("resume");
    expect((await run(["runs", "export", "march", "--failed"])).stderr).toBe("");
    expect((await lines(["runs", "show", "march"])).summary).toMatchObject({ closed: true, accepted: 2, pending: 3 });
  });

  it("lets the corrected text go to those the run did not reach", async () => {
    await begun();
    await run(["runs", "close", "march"], live);
    const corrected = [...five("Hi Ann", "march-2"), "--exclude", "run:march", "--yes"];
    expect((await send(corrected, live)).code).toBe(0);
    const texts = numbers(5).map((to, index) => [to, index < 2 ? "Hi Anm" : "Hi Ann"]);
    expect(accepted()).toEqual(texts);
  });
});
