import { basename } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../vitest.config.ts";

const mutant = process.env["MUTANT"] ?? "";
const room = `/${mutant.split("/")[1] ?? ""}/`;

/** Begins with the tests that are likely to notice the mutant, because the first failure ends the run. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => distance(a.moduleId) - distance(b.moduleId));
  }
}

function distance(test: string): number {
  if (basename(test, ".test.ts") === basename(mutant, ".ts")) return 0;
  if (test.includes(`/test${room}`)) return 1;
  return test.includes("/e2e/") || test.includes("/sandbox/") ? 3 : 2;
}

export default mergeConfig(
  base,
  defineConfig({
    test: {
      // A loop that no longer ends must not take all the memory.
      execArgv: ["--max-old-space-size=1024"],
      bail: 1,
      testTimeout: 30_000,
      sequence: { sequencer: NearestFirst },
    },
  }),
);
