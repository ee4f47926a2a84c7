import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Without the times of an earlier run, files go by size. What lasts, in a small file, would be the last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) =>
      /(small-world|each-option|daily-limit|faults|sending|runs|lookups|signals)\.test/.test(moduleId);
    const others = await super.sort(files.filter((file) => !isLongest(file)));
    return [...files.filter(isLongest), ...others];
  }
}

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  // Node 20 knows no `await using`.
  oxc: { target: "node20" },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/suite.ts"],
    setupFiles: ["test/support/setup.ts"],
    // No test passes or fails by how fast the machine is: these end one that hangs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    maxWorkers: 4,
    // A worker runs one file after another: to start a process and load all modules for each took a fifth of the processor time.
    isolate: false,
    // Room for young objects, most of which then die before they are copied: the small world spends a fifth less.
    execArgv: ["--max-semi-space-size=32"],
    env: {
      // Settings of the person who runs the tests must not change what the tests see.
      NO_COLOR: "",
      FORCE_COLOR: "",
      NODE_EXTRA_CA_CERTS: "",
      SMS_TEST_SEED: process.env["SMS_TEST_SEED"] ?? String(randomInt(2 ** 31)),
    },
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text-summary", "html"] },
  },
});
