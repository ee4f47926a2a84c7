import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSandbox } from "./with-sandbox.ts";

const { sandbox, storePath, run, json, login } = withSandbox();

describe("sms profiles and sms logout", () => {
  it("list, use and remove profiles", async () => {
    await login();
    await login("sk_live_sandbox", ["--profile", "shop"]);
    await run(["profiles", "use", "shop"]);
    await run(["profiles", "remove", "default", "--yes"]);
    expect((await json(["profiles", "list"])).value).toEqual([
      { name: "shop", baseUrl: sandbox().url, mode: "live", keys: 1, active: true },
    ]);
  });

  it("remove the credentials and keep the base URL", async () => {
    await login();
    expect((await json(["logout", "--yes"])).value).toEqual({ profile: "default", keysForgotten: 1 });
    expect((await run(["status"])).code).toBe(4);
    expect(readFileSync(storePath(), "utf8")).not.toContain("sk_test");
  });

  it("say where the runs are that a logout leaves", async () => {
    await login();
    expect((await run(["logout", "--yes"])).stderr).not.toContain("runs");
    await login();
    await run(["send", "--to", "+254712345678", "-m", "Hi", "--run", "topup"]);
    const { stderr } = await run(["logout", "--yes"]);
    expect(stderr).toContain(`Recorded runs, with numbers and texts, stay in ${join(storePath(), "../../state/runs")}`);
  });
});
