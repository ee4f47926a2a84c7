// Names each test that failed and ends with the counts: node test/summary.js STATUS REPORT...
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const [status, ...paths] = process.argv.slice(2);
let passed = 0;
const failures = [];

for (const path of paths) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  passed += report.numPassedTests;
  failures.push(...report.testResults.flatMap((file) => failuresOf(file).map((failure) => `${path}: ${failure}`)));
}
// A run that ends without a report has failed too.
if (failures.length === 0 && status !== "0") failures.push(`a step ended with ${status}`);

for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);

/** Returns a line or more for each failed test of a file. A file that cannot be loaded, or a hook, fails without a test. */
function failuresOf({ name, status: outcome, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length === 0) return outcome === "failed" ? [`${file}: ${firstLines(message)}`] : [];
  return failed.map((test) => `${file}: ${test.fullName}: ${firstLines(test.failureMessages.join("\n"))}`);
}

function firstLines(text) {
  return text.split("\n").slice(0, 8).join("\n  ");
}
