import { expect, it } from "vitest";
import { sms } from "../support/machine.ts";
import { temporaryFolder } from "../support/folders.ts";

const rows = "to,name,due\n+254712345678,Amina,5\n+254712345679,Otieno,7\n";

/** What a dry run says on stderr. */
async function warned(message: string): Promise<string> {
  const args = ["send", "--sandbox", "--dry-run", "--recipients", "-", "--message", message];
  const environment = { SMS_STATE_DIR: temporaryFolder() };
  const { code, stdout, stderr } = await sms(args, { stdin: rows, environment });
  expect(code).toBe(0);
  return stdout + stderr;
}

it("the first field in single braces is named once", async () => {
  const text = await warned("Hi {name}, you owe {due}");
  expect(text.match(/\{\w+\} is sent as written; .*/g)).toEqual([
    "{name} is sent as written; {{name}} is the field of each row",
  ]);
});

it("other words in single braces, and fields in double ones, are not", async () => {
  expect(await warned("Hi {{name}}, {see} our terms")).not.toContain("sent as written");
});
