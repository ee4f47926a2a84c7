// A run as a program of its own, so that it can be killed: node driver.js FOLDER ORIGIN [DESIGN [RATE [IN_FLIGHT]]]
import { dirname } from "node:path";
import type { JournalFile } from "../../src/record/folder/journal.ts";
import { ours } from "../files/this-process.ts";
import { sendRun, testRun } from "./running.ts";

/** The designs of a journal: ours, and two that text people twice, to show that the test notices it. */
export type Design = "intent-first" | "journal-after" | "resend-uncertain";

const [folder = "", origin = "", design = "", rate = "15000", inFlight = "4"] = process.argv.slice(2);

/** Writes the intent of a message only with its result. */
function afterTheSend(file: JournalFile): JournalFile {
  return {
    ...file,
    write: (bytes) => {
      const lines = Buffer.from(bytes).toString().split("\n").slice(0, -1);
      const results = lines.filter((line) => !/^\["(?:intent|released|time)"/.test(line));
      const late = results.map((line) => `["intent",${/\d+/.exec(line)?.[0]}]\n${line}\n`).join("");
      for (let rest = Buffer.from(late); rest.length > 0;) rest = rest.subarray(file.write(rest));
      return bytes.length;
    },
  };
}

const { error, ending } = await sendRun(testRun(ours(dirname(dirname(folder)))), origin, {
  perMinute: Number(rate),
  inFlight: Number(inFlight),
  ...(design === "journal-after" && { through: afterTheSend }),
  ...(design === "resend-uncertain" && { retry: ["uncertain"] }),
});
process.stdout.write(error instanceof Error ? error.message : String(ending));
