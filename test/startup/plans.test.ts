import { getCountryCallingCode, isSupportedCountry } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { expect, test } from "vitest";
import { testKey } from "../support/scripted-run.ts";
import { runSms } from "../support/sms.ts";

test("the built program has the numbering plan of every country", async () => {
  const numbers = Object.entries(examples).flatMap(([country, national]) =>
    isSupportedCountry(country) ? `+${getCountryCallingCode(country)}${national}` : [],
  );
  const args = ["send", "--recipients", "-", "--message", "Hi", "--dry-run", "--json"];
  const env = { SMS_BASE_URL: "http://127.0.0.1:9", ...testKey };
  const { code, stdout, stderr } = await runSms(args, { stdin: numbers.join("\n"), env });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(numbers.length).toBeGreaterThan(240);
  expect(JSON.parse(stdout)).toMatchObject({ recipients: new Set(numbers).size, leftOut: {} });
});
