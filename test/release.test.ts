import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blockWith } from "./support/blocks.ts";
import { sms } from "./support/machine.ts";
import { needs } from "./support/needs.ts";
import { temporaryFolder } from "./support/folders.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
}

interface Job {
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

function workflow(name: string): Workflow {
  return parse(readFileSync(join(".github/workflows", name), "utf8")) as Workflow;
}

const release = workflow("release.yml");
const scripts = Object.fromEntries(
  Object.entries(release.jobs).map(([job, { steps }]) => [job, steps.map(({ run }) => run ?? "").join("\n")]),
);

it("no workflow puts a value of GitHub's into a script, nor does the action", () => {
  const jobs = readdirSync(".github/workflows").flatMap((name) => Object.values(workflow(name).jobs));
  const action = parse(readFileSync(".github/actions/send/action.yml", "utf8")) as { readonly runs: Job };
  const lines = [...jobs, action.runs].flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(lines.filter((run) => run.includes("${{"))).toEqual([]);
});

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe("the check of a tag", needs("POSIX shell", "bash"), () => {
  const check = release.jobs["package"]?.steps.find(({ name }) => name?.startsWith("Compare the tag"))?.run ?? "";
  const dated = "# Changelog\n\n## [1.2.3] - 2026-01-31\n\n- New.\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n";
  const here = "https://example.com/owner/sms";
  const named = { repository: { url: `git+${here}.git` }, bugs: `${here}/issues`, homepage: `${here}#readme` };

  function checked(tag: string, changelog = dated, manifest: object = named) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", ...manifest }));
    writeFileSync(join(folder, "CHANGELOG.md"), changelog);
    const { status, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", check], {
      cwd: folder,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        GITHUB_REF_NAME: tag,
        GITHUB_SERVER_URL: "https://example.com",
        GITHUB_REPOSITORY: "owner/sms",
        RUNNER_TEMP: folder,
      },
    });
    return { status, stderr };
  }

  it("takes the section of the version as notes", () => {
    expect(checked("v1.2.3")).toEqual({ status: 0, stderr: "" });
    expect(readFileSync(join(folder, "release/notes.md"), "utf8").trim()).toBe("- New.");
  });

  const other = "git+https://example.com/Owner/sms.git";
  const noSection = "CHANGELOG.md has no section [1.2.3] with a date.";
  it.for<[string, string, ...Parameters<typeof checked>]>([
    ["another version", "The tag is v1.2.2, but the version is 1.2.3.", "v1.2.2"],
    ["code in the tag", "The tag is v1.2.3$(touch planted), but the version is 1.2.3.", "v1.2.3$(touch planted)"],
    ["no repository", "package.json names no repository, not", "v1.2.3", dated, {}],
    ["another repository", `package.json names ${other}, not`, "v1.2.3", dated, { repository: { url: other } }],
    ["no place for bugs", `names git+${here}.git  ${here}#readme, not`, "v1.2.3", dated, { ...named, bugs: undefined }],
    ["a section that is not released", noSection, "v1.2.3", dated.replace("2026-01-31", "unreleased")],
    ["an empty section", noSection, "v1.2.3", dated.replace("- New.\n", "")],
    ["a section of another version alone", noSection, "v1.2.3", dated.replace("[1.2.3]", "[1.2.30]")],
  ])("refuses %s", ([, reason, ...state]) => {
    expect(checked(...state)).toEqual({ status: 1, stderr: expect.stringContaining(reason) });
    expect(existsSync(join(folder, "planted"))).toBe(false);
  });
});

interface Reference {
  readonly commands: readonly { readonly name: string; readonly options: readonly { readonly option: string }[] }[];
}

it("the manual page has each command and option of the help, and no other request of roff", async () => {
  const { commands } = JSON.parse((await sms(["help", "--json"])).stdout) as Reference;
  const roff = (text: string) => text.replaceAll("-", "\\-");
  const headings = commands.map(({ name }) => `\n.SS "sms ${roff(name)}"\n`);
  const options = commands.flatMap((command) => command.options.map(({ option }) => `\\fB${roff(option)}\\fP`));

  const page = readFileSync("dist/sms.1", "utf8");

  expect([...headings, ...options].filter((part) => !page.includes(part))).toEqual([]);
  expect([...new Set(page.match(/^['.]\S*/gm))].toSorted()).toEqual(
    [".B", ".I", ".PP", ".RE", ".RS", ".SH", ".SS", ".TH", ".TP", ".fi", ".nf"].toSorted(),
  );
});

/** A stand-in for the registry of npm: what is published there can be installed, and is never replaced. */
async function startRegistry() {
  interface Publication {
    readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
  }
  let published: Publication | undefined;
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: string | Buffer) => response.writeHead(status).end(body);
    const [attachment] = Object.values(published?._attachments ?? {});
    if (request.method === "PUT" && published === undefined) {
      published = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Publication;
      answer(201, "{}");
    } else if (request.method === "PUT") answer(403, '{"error":"it is published already"}');
    else if (attachment === undefined) answer(404, "{}");
    else if (request.url?.endsWith(".tgz")) answer(200, Buffer.from(attachment.data, "base64"));
    else answer(200, JSON.stringify(published));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, manifests: () => Object.values(published?.versions ?? {}), close };
}

/** Runs scripts as GitHub would in the repository owner/sms. */
function githubShell(clone: string) {
  const github = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "owner/sms", RUNNER_TEMP: folder };
  return (script: string, more: Readonly<Record<string, string>> = {}, cwd = clone) => {
    const options = { cwd, env: { ...process.env, ...github, ...more } };
    return promisify(execFile)("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], options);
  };
}

const unset = { SENDER: "", ONCE_KEY: "", FOR: "", COUNTRY: "", EXPECT: "", MAX_CREDITS: "", LITERAL: "" };

it(
  "a release is packed and published by the workflow, and installed by the action, which sends",
  { ...needs("bash", "sha256sum", "/proc", "CI to be set"), timeout: 300_000 },
  async ({ onTestFinished }) => {
    const clone = join(folder, "clone");
    const run = githubShell(clone);
    const registry = await startRegistry();
    onTestFinished(registry.close);
    onTestFinished(() => rmSync(clone, { recursive: true }));
    writeFileSync(join(folder, "npmrc"), `${registry.url.replace("http:", "")}:_authToken=none\n`);
    const npm = { userconfig: join(folder, "npmrc"), registry: registry.url, prefix: folder };
    const user = Object.fromEntries(Object.entries(npm).map(([name, value]) => [`npm_config_${name}`, value]));
    const here = "https://github.com/owner/sms";
    await run(`git clone --quiet . "${clone}"`, {}, ".");
    await run(blockWith("docs/internals/release.md", "HERE=").replace("OWNER/NAME", "owner/sms"));
    await run("sed -i 's/^## .Unreleased./## [9.9.9] - 2026-01-31/' CHANGELOG.md");
    await run("npm version 9.9.9 --no-git-tag-version");

    await run(scripts["package"] ?? "", { GITHUB_REF_NAME: "v9.9.9" });
    const publish = () => run((scripts["publish"] ?? "").replace(" --provenance", ""), user, join(folder, "release"));
    await publish();
    const bugs = { url: `${here}/issues` };
    expect(registry.manifests()).toMatchObject([{ version: "9.9.9", homepage: `${here}#readme`, bugs }]);
    await expect(publish()).rejects.toThrow(/publish over the previously published/);

    const action = join(clone, ".github/actions/send");
    await run(`bash "${action}/install.sh"`, { ...user, GITHUB_ACTION_PATH: action });
    const message = { ...unset, TO: "+254712345678", MESSAGE: "Hi", GITHUB_OUTPUT: "output" };
    const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
    await run(`sms sandbox exec --expect-messages 1 -- bash "${action}/send.sh"`, { PATH, ...message });
    expect(readFileSync(join(clone, "output"), "utf8")).toContain("\noutcome=accepted\n");
    expect(readFileSync(join(clone, "dist/sms.1"), "utf8")).toContain(`.SH REPORTING BUGS\n${here}/issues\n`);
    await run(`cp "${folder}/release/SHA256SUMS" .`);
    expect((await run(blockWith("SECURITY.md", "sha256sum"))).stdout).toMatch(/^\.\/sms-cli-9\.9\.9\.tgz: OK$/m);
  },
);
