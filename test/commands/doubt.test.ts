import { describe, expect, it } from "vitest";
import { answer } from "../support/scripts.ts";
import { withPhones } from "./with-phones.ts";
import { fast, numbers } from "./with-runs.ts";

const { answerWith, file, run } = withPhones();

/** The last command of each door says that a message is uncertain. */
const doors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "one message": [["send", "--to", "ANN", "-m", "Hi"]],
  "one message under a key": [["send", "--to", "ANN", "-m", "Hi", "--once", "a"]],
  "a key again": ["", ""].map(() => ["send", "--to", "ANN", "-m", "Hi", "--once", "a", "--for", "1h"]),
  notify: [["notify", "--to", "ANN", "-m", "Hi", "--", "true"]],
  watch: [["watch", "--to", "ANN"]],
  ...Object.fromEntries(
    [[], ["runs", "show", "jan"], ["runs", "export", "jan", "--failed"]].map((args) => [
      `a run ${args.join(" ")}`,
      [["send", "-r", "LIST", "-m", "Hi", "--run", "jan", "--yes", ...fast], args].filter(({ length }) => length > 0),
    ]),
  ),
};

describe.each(Object.entries(doors))("what %s says of a message that is uncertain", (door, lines) => {
  it.each([
    ["may be on a phone, with a live key", "sk_live_abc", door !== "watch"],
    ["is on no phone, with a test key", "sk_test_abc", false],
  ])("%s", async (_, key, maybe) => {
    const [ann = "", bob = ""] = numbers(2);
    answerWith({ [ann]: answer(500, { error: "No", errorCode: "NO" }) });
    const list = file("list.txt", `${ann}\n${bob}\n`);
    let said = "";
    for (const words of lines) {
      const args = words.map((word) => word.replace("ANN", ann).replace("LIST", list));
      const { stdout, stderr } = await run(args, { environment: { SMS_API_KEY: key }, stdin: "x\n" });
      said = (stdout + stderr).replaceAll(/\s+/g, " ");
    }
    expect(said.toLowerCase()).toMatch(/uncertain|\?/);
    expect(/arrive|gone out|be on the phone|been charged/.test(said)).toBe(maybe);
  });
});
