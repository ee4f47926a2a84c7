import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestCase, TestProject } from "vitest/node";

/**
 * Runs once before all tests: builds `dist`, and gives the workers one temporary folder, whose name has a space and a
 * non-ASCII letter, in place of the person's own and of their home. Returns what removes it and prints the summary.
 */
export function setup({ vitest, config }: TestProject): () => void {
  execFileSync(process.execPath, ["build/bundle.js"], { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "sms tests ñ "));
  const home = join(folder, "home");
  mkdirSync(home);
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = folder;
  for (const name of ["HOME", "USERPROFILE"]) process.env[name] = home;
  // npm names its cache to what it starts.
  process.env["npm_config_cache"] = join(home, ".npm");

  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    const skipped = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests("skipped")]);
    const reasons = skipped.map((test) => test.meta().missing ?? noteOf(test) ?? "no reason given");
    const lines = [...new Set(reasons)].map(
      (reason) => `  ${reasons.filter((each) => each === reason).length} skipped: ${reason}\n`,
    );
    process.stdout.write(`${lines.join("")}  Seed of property tests: SMS_TEST_SEED=${config.env["SMS_TEST_SEED"]}\n`);
  };
}

/** The reason that a test gave when it skipped itself. */
function noteOf(test: TestCase): string | undefined {
  const result = test.result();
  return result.state === "skipped" ? result.note : undefined;
}
