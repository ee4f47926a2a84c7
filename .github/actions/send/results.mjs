// Prints the outputs of the action: node results.mjs EXITCODE STDOUT STDERR
import { readFileSync } from "node:fs";

const [code = "", answer = "", failure = ""] = process.argv.slice(2);
const answers = linesOf(answer);
const said = linesOf(failure).at(-1) ?? {};
const summary = answers.findLast(({ type }) => type === "summary");
// A line break in an identifier would forge an output.
const ids = answers.map(({ messageId }) => String(messageId ?? "")).filter((id) => /^[\w-]+$/.test(id));

process.stdout.write(`message-id=${ids.join(" ")}\noutcome=${outcomeOf()}\nexit-code=${code}\n`);

function outcomeOf() {
  if (code === "0") return "accepted";
  if (summary !== undefined) return ["uncertain", "rejected"].find((outcome) => summary[outcome] > 0) ?? "unsent";
  if (/^(accepted|rejected|unsent|uncertain)$/.test(said.outcome)) return said.outcome;
  // The shell had no sms to start.
  if (code === "126" || code === "127") return "none";
  // A fault of sms itself, or it ended without a word: it may have sent. Else it says why there was no message.
  return code === "1" || said.exitCode === undefined ? "uncertain" : "none";
}

function linesOf(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        const value = JSON.parse(line);
        return typeof value === "object" && value !== null ? [value] : [];
      } catch {
        return [];
      }
    });
}
