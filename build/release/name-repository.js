// Writes into package.json where the project is hosted: the repository that this workflow runs in. The release workflow calls it.
import { readFileSync, writeFileSync } from "node:fs";

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
if (!/^https:\/\/[\w.-]+$/.test(GITHUB_SERVER_URL ?? "") || !/^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY ?? "")) {
  throw new Error("GITHUB_SERVER_URL and GITHUB_REPOSITORY must name a repository");
}
const page = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
const path = new URL("../../package.json", import.meta.url);
const manifest = JSON.parse(readFileSync(path, "utf8"));
const named = {
  ...manifest,
  repository: { type: "git", url: `git+${page}.git` },
  homepage: `${page}#readme`,
  bugs: `${page}/issues`,
};
writeFileSync(path, `${JSON.stringify(named, undefined, 2)}\n`);
