import { beforeEach, describe, expect, it } from "vitest";
import { withRuns } from "./with-runs.ts";

const { accepted, file, run, send } = withRuns();

describe("sms runs", () => {
  beforeEach(async () => {
    const path = file("list.txt", ["+254712345000", "+254700000400", "+254700000598", "+254712345001"].join("\n"));
    await send(["-r", path, "-m", "=Hi", "--run", "mixed"]);
  });

  it("shows who was not accepted, and what to type next", async () => {
    const { code, stdout } = await run(["runs", "show", "mixed", "--failed"]);
    expect(code).toBe(0);
    expect(stdout).toContain("! Run mixed: 2 of 4 accepted, 1 rejected, 1 uncertain\n");
    expect(stdout).toContain("  line 2  +254700000400  rejected: Invalid parameters\n");
    expect(stdout).toContain("  line 3  +254700000598  uncertain: ");
    expect(stdout.split("\n").slice(-3)).toEqual([
      "  Next: sms runs resume mixed --retry rejected  (once the cause is fixed)",
      "  Next: sms runs resume mixed --retry uncertain  (once you know that they did not arrive)",
      "",
    ]);
  });

  it("names the profile of --profile in what to type next, since it has the key and the guards", async () => {
    const login = ["login", "--no-verify", "--with-key", "--base-url", "http://127.0.0.1:9", "--profile", "ops"];
    expect((await run(login, { stdin: "sk_test_sandbox" })).code).toBe(0);
    await send(["--to", "+254700000598", "-m", "Hi", "--run", "own", "--profile", "ops"]);
    const next = "sms runs resume own --profile ops --retry uncertain";
    expect((await run(["runs", "show", "own"])).stdout).toContain(`  Next: ${next}  (`);
    expect((await run(next.split(" ").slice(1))).code).toBe(11);
  });

  it("lists the latest with --limit, and says how to see the others", async () => {
    await send(["--to", "+254712345000", "-m", "Hi", "--run", "later"]);
    const now = Date.now() + 150_000;
    const { stdout, stderr } = await run(["runs", "list", "--limit", "1"], { now });
    expect(stdout).toBe("  RUN    MODE  STARTED    ACCEPTED  NOT ACCEPTED\n  later  test  2 min ago  1 of 1\n");
    expect(stderr).toBe("1 earlier run: `sms runs list --limit 2`\n");
    expect((await run(["runs", "list", "--quiet"])).stdout).toBe("later\nmixed\n");
    const { code } = await run(["runs", "list", "--limit", "0"]);
    expect(code).toBe(2);
  });

  it("resumes only what may be sent again", async () => {
    const before = accepted().length;
    expect((await run(["runs", "resume", "mixed"])).code).toBe(11);
    expect(accepted()).toHaveLength(before);
    expect((await run(["runs", "resume", "mixed", "--retry", "uncertain"])).code).toBe(11);
    expect(accepted()).toHaveLength(before + 1);
  });
});
