// Bundles src into dist, split so that each command loads only what it walks on.
import { readdirSync, rmSync } from "node:fs";
import { build } from "rolldown";

const { output } = await build({
  input: { main: "src/main.ts" },
  platform: "node",
  logLevel: "warn",
  output: {
    dir: "dist",
    format: "esm",
    minify: true,
    sourcemap: true,
    comments: false,
  },
});

// Removed only now, so that a program that runs meanwhile never finds its files gone.
const built = new Set(output.map(({ fileName }) => fileName));
for (const file of readdirSync("dist")) if (!built.has(file)) rmSync(`dist/${file}`, { recursive: true });
