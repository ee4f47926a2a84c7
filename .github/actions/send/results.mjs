// Writes the outputs of the action, and prints what a public log may have: node results.mjs EXITCODE STDOUT STDERR
import { appendFileSync, readFileSync } from "node:fs";

const [code = "", answerFile = "", failureFile = ""] = process.argv.slice(2);
const [answerLines, failureLines] = [linesOf(answerFile), linesOf(failureFile)];
const answers = answerLines.flatMap(objectIn);
const failure = failureLines.flatMap(objectIn).at(-1) ?? {};
const summary = answers.findLast(({ type }) => type === "summary");
// A line break in an identifier would forge an output.
const ids = answers.map(({ messageId }) => String(messageId ?? "")).filter((id) => /^[\w-]+$/.test(id));
const outcome = outcomeOf();

appendFileSync(process.env.GITHUB_OUTPUT, `message-id=${ids.join(" ")}\noutcome=${outcome}\nexit-code=${code}\n`);
// A line that begins with two colons would command the runner.
for (const line of [...answerLines, ...failureLines]) console.log(` ${withoutNumbers(line)}`);
if (code !== "0") console.log(`::error::${escaped(withoutNumbers(problem()))}`);

function outcomeOf() {
  if (code === "0") return "accepted";
  if (summary !== undefined) return ["uncertain", "rejected"].find((each) => summary[each] > 0) ?? "unsent";
  if (/^(accepted|rejected|unsent|uncertain)$/.test(failure.outcome)) return failure.outcome;
  // The shell had no sms to start.
  if (code === "126" || code === "127") return "none";
  // A fault of sms itself, or it ended without a word: it may have sent. Else it says why there was no message.
  return code === "1" || failure.exitCode === undefined ? "uncertain" : "none";
}

function problem() {
  const counts = ["accepted", "rejected", "unsent", "uncertain", "pending"]
    .filter((each) => summary?.[each] > 0)
    .map((each) => `${summary[each]} ${each}`);
  const reason = failure.error ?? (counts.join(", ") || `sms ended with exit code ${code}`);
  const details = Array.isArray(failure.details) ? failure.details : [];
  return [`${outcome}: ${reason}`, ...details, ...(failure.hint ? [`Next: ${failure.hint}`] : [])].join("\n");
}

/** Leaves three digits of each number: the log of a public repository is public. */
function withoutNumbers(text) {
  const typed = (process.env.TO ?? "").split(/[,\n]/).map((number) => number.trim());
  return typed
    .filter((number) => /\d/.test(number) && !number.startsWith("@"))
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, number) => rest.replaceAll(number, shortened), text)
    .replace(/\+\d{7,15}/g, shortened);
}

function shortened(number) {
  return `…${number.replace(/\D/g, "").slice(-3)}`;
}

/** Text in a command of the runner, which reads a command to the end of its line. */
function escaped(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function linesOf(path) {
  return readFileSync(path, "utf8")
    .split(/[\r\n]+/)
    .filter((line) => line !== "");
}

function objectIn(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value] : [];
  } catch {
    return [];
  }
}
