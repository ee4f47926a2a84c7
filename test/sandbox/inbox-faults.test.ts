import { describe, expect, it } from "vitest";
import { openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown } from "./inbox-browser.ts";
import { ask, hello, liveKey, post, runSandbox, sendAs, tell } from "./running.ts";

describe("the faults in the inbox", needs("Chromium"), () => {
  it("are set, seen everywhere and copied as a command; a key is revoked; a reset restores all", async () => {
    const sandbox = await runSandbox();
    const page = await open(`${sandbox.url}/#faults`);
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    const names = await page.locator("#faults fieldset:first-of-type label").allInnerTexts();
    for (const name of names) await page.getByLabel(`Share of ${name} in percent`).fill("7");
    await page.getByLabel("Share of 500 in percent").fill("2.5");
    await page.getByLabel("Least latency in ms").fill("1");
    await page.getByLabel("Seed").fill("7");
    await press("Apply faults");
    const shares = names.map((name) => (name === "500" ? "500:2.5%" : `${name}:7%`));
    const faults = [...shares, "latency:1..1"].join(",");
    await expectShown(page, "#active").toEqual([`Faults: ${faults}, seed 7`]);
    expect(await ask(sandbox, "faults")).toEqual([200, { faults, seed: 7 }]);
    await expectShown(page, "#command").toEqual([`sms sandbox --tier free --credits 100 --fault ${faults} --seed 7`]);
    await page.getByLabel("Share of 500 in percent").fill("50");
    await press("Apply faults");
    await expectShown(page, "#faults .problem").toEqual([expect.stringContaining("more than 100%")]);
    await press("Down");
    await expectShown(page, "#active").toEqual(["Faults: 503:100%, seed 7"]);
    expect((await post(sandbox, hello)).status).toBe(503);
    await page.getByLabel("Credits").fill("0");
    await page.getByLabel("Tier").selectOption("starter");
    await press("Apply");
    await press("Revoke sk_live_sandbox");
    await expectShown(page, "#faults .revoked").toEqual(["sk_live_sandbox Restore"]);
    await expectShown(page, "#command").toEqual([
      `printf %s '${JSON.stringify({ keys: await keysOf(sandbox) })}' | ` +
        "sms sandbox --config /dev/stdin --tier starter --credits 0 --fault 503:100% --seed 7",
    ]);
    expect(await sendAs(sandbox, liveKey)).toBe("401 UNAUTHORIZED");
    await tell(sandbox, "faults", { faults: "none" });
    await expectShown(page, "#active").toEqual([]);
    await press("Restore sk_live_sandbox");
    await expectShown(page, "#faults .revoked").toEqual([]);
    expect(await sendAs(sandbox, liveKey)).toBe("402 INSUFFICIENT_CREDITS");
    await press("Reset the sandbox");
    await expectShown(page, "#command").toEqual(["sms sandbox --tier free --credits 100"]);
    expect(await sendAs(sandbox, liveKey, hello)).toBe("200");
    await expectShown(page, "#command").toEqual(["sms sandbox --tier free --credits 99"]);
    expect(await page.getByLabel("Credits").inputValue()).toBe("99");
    await page.getByLabel("Tier").selectOption("starter");
    await sendAs(sandbox, liveKey, hello);
    await press("Apply");
    await expectShown(page, "#command").toEqual(["sms sandbox --tier starter --credits 98"]);
    await page.setViewportSize({ width: 390, height: 400 });
    await page.getByLabel("Share of 500 in percent").fill("-5");
    await press("Apply faults");
    await expectShown(page, "#faults .problem").toEqual([expect.stringContaining("a share above 0%")]);
    await expect.poll(async () => (await page.locator("#faults .problem").boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.getByLabel("Share of 500 in percent").fill(".5");
    await press("Apply faults");
    await expectShown(page, "#active").toEqual([expect.stringContaining("500:0.5%,")]);
    await tell(sandbox, "faults", { faults: "none" });
    const senders = [{ name: "SHOP", id: "5e4de00000000000000000b1" }];
    await tell(sandbox, "account", { senders });
    await expectShown(page, "#command").toEqual([
      `printf %s '${JSON.stringify({ senders })}' | sms sandbox --config /dev/stdin --tier starter --credits 98`,
    ]);
  });
});

async function keysOf(sandbox: Parameters<typeof ask>[0]): Promise<unknown> {
  const [, account] = await ask(sandbox, "account");
  return (account as { keys: unknown }).keys;
}
