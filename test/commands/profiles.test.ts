import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withSandbox } from "./with-sandbox.ts";

const { sandbox, storePath, run, json, login } = withSandbox();

describe("sms profiles and sms logout", () => {
  it("list, use and remove profiles", async () => {
    await login();
    await login("sk_live_sandbox", ["--profile", "shop"]);
    await run(["profiles", "use", "shop"]);
    await run(["profiles", "remove", "default"]);
    expect((await json(["profiles", "list"])).value).toEqual([
      { name: "shop", baseUrl: sandbox().url, mode: "live", keys: 1, active: true },
    ]);
  });

  it("remove the credentials and keep the base URL", async () => {
    await login();
    expect((await json(["logout"])).value).toEqual({ profile: "default", keysForgotten: 1 });
    expect((await run(["status"])).code).toBe(4);
    expect(readFileSync(storePath(), "utf8")).not.toContain("sk_test");
  });
});
