import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

export default defineConfig({
  root,
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    testTimeout: 20_000,
    maxWorkers: 3,
    // What the person at the desk has set must not leak into what the tests see.
    env: {
      NO_COLOR: "",
      FORCE_COLOR: "",
      NODE_EXTRA_CA_CERTS: "",
      XDG_CACHE_HOME: `${root}node_modules/.cache`,
    },
  },
});
