// Reads a file of recipients, by csv-parse alone or checked and rendered as a run plans it, and says what that took.
// Only what is asked for is loaded, since peak memory is the process's.
import { createReadStream } from "node:fs";

const [mode = "", file = ""] = process.argv.slice(2);
const began = performance.now();
const rows = await (mode === "plan" ? plan() : parseAlone());
const seconds = (performance.now() - began) / 1000;
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ rows, seconds, megabytes }));

async function parseAlone(): Promise<number> {
  const { parse } = await import("csv-parse");
  let count = 0;
  for await (const row of createReadStream(file).pipe(parse({ columns: true }))) if (row.to) count++;
  return count;
}

async function plan(): Promise<number> {
  const { parseTemplate } = await import("../../src/message/text.ts");
  const { readRecipients } = await import("../../src/recipients/read.ts");
  const { recipientCheck } = await import("../../src/recipients/check.ts");
  const check = recipientCheck({
    guards: [],
    country: "KE",
    template: parseTemplate("Hi {{name}}, you owe KES {{due}} for {{note|it}}"),
  });
  let count = 0;
  for await (const row of readRecipients({ name: file, chunks: createReadStream(file) })) {
    if (check(row).kind === "recipient") count++;
  }
  return count;
}
