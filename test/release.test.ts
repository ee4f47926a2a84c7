import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly needs?: unknown; readonly permissions?: unknown; readonly steps: readonly Step[] }>
  >;
}

function workflow(name: string): Workflow {
  return parse(readFileSync(join(".github/workflows", name), "utf8")) as Workflow;
}

const release = workflow("release.yml");
const scripts = Object.fromEntries(
  Object.entries(release.jobs).map(([job, { steps }]) => [job, steps.map(({ run }) => run ?? "").join("\n")]),
);

describe("every workflow", () => {
  const steps = readdirSync(".github/workflows").flatMap((name) =>
    Object.values(workflow(name).jobs).flatMap((job) => job.steps),
  );

  it("puts no value of GitHub's into a script", () => {
    expect(steps.flatMap(({ run }) => run ?? []).filter((run) => run.includes("${{"))).toEqual([]);
  });
});

describe("the check of a tag", needs("POSIX shell", "bash"), () => {
  const check = release.jobs["package"]?.steps.find(({ name }) => name?.startsWith("Compare the tag"))?.run ?? "";
  const dated = "# Changelog\n\n## [1.2.3] - 2026-01-31\n\n- New.\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n";
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
    mkdirSync(join(folder, "temporary"));
  });

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
        RUNNER_TEMP: join(folder, "temporary"),
      },
    });
    return { status, stderr };
  }

  it("takes the section of the version as notes", () => {
    expect(checked("v1.2.3")).toEqual({ status: 0, stderr: "" });
    expect(readFileSync(join(folder, "temporary/release/notes.md"), "utf8").trim()).toBe("- New.");
  });

  it.for(["v1.2.2", "v1.2.3-beta", "1.2.3", "v1.2.3$(touch planted)", 'v1.2.3";touch planted;"'])(
    "refuses the tag %s",
    (tag) => {
      expect(checked(tag)).toEqual({ status: 1, stderr: `The tag is ${tag}, but the version is 1.2.3.\n` });
      expect(existsSync(join(folder, "planted"))).toBe(false);
    },
  );

  it.for([
    ["no repository", {}, "no repository"],
    ["another repository", { repository: { url: "git+https://example.com/Owner/sms.git" } }],
    ["no place for faults", { ...named, bugs: undefined }, `git+${here}.git  ${here}#readme`],
  ] as const)("refuses a package.json with %s", ([, manifest, said = "git+https://example.com/Owner/sms.git"]) => {
    expect(checked("v1.2.3", dated, manifest)).toEqual({
      status: 1,
      stderr: `package.json names ${said}, not git+${here}.git ${here}/issues ${here}#readme: see docs/internals/release.md.\n`,
    });
  });

  it.for([
    ["no section", "# Changelog\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n"],
    ["a section that is not released", dated.replace("2026-01-31", "unreleased")],
    ["an empty section", dated.replace("- New.\n", "")],
    ["a section of another version alone", dated.replace("[1.2.3]", "[1.2.30]")],
  ])("refuses a changelog with %s", ([, changelog]) => {
    expect(checked("v1.2.3", changelog)).toEqual({
      status: 1,
      stderr: "CHANGELOG.md has no section [1.2.3] with a date.\n",
    });
  });
});

describe("the archive of a standalone program", needs("POSIX shell", "bash"), () => {
  const archive = release.jobs["binaries"]?.steps.find(({ name }) => name === "Archive")?.run ?? "";

  it.for([
    ["linux-x64", "sms-linux-x64"],
    ["win-x64", "sms-win-x64.exe"],
  ] as const)("has the licences beside the program for %s", ([target, program]) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "binaries"));
    for (const name of [program, `LICENSES-${target}.txt`]) writeFileSync(join(folder, "binaries", name), name);
    const script = `${archive}\ntar -tzf "$RUNNER_TEMP/binary/sms-$TARGET.tar.gz"`;
    const env = { PATH: process.env["PATH"], RUNNER_TEMP: folder, TARGET: target };
    const { stdout } = spawnSync("bash", ["-euc", script], { cwd: folder, encoding: "utf8", env });
    expect(stdout.trim().split("\n")).toEqual([program, `LICENSES-${target}.txt`]);
    rmSync(folder, { recursive: true });
  });
});

describe("the notes of a release", needs("POSIX shell", "bash", "sha256sum"), () => {
  it("say how to check what was downloaded", () => {
    const folder = temporaryFolder();
    const sums = release.jobs["draft"]?.steps.find(({ run }) => run?.startsWith("sha256sum"))?.run ?? "";
    for (const name of ["sms-cli-1.2.3.tgz", "sms-linux-x64.tar.gz"]) {
      writeFileSync(join(folder, name), name);
    }
    const script = `sha256sum ./*.tgz >SHA256SUMS\n${sums}\nsha256sum --check SHA256SUMS`;
    const env = { PATH: process.env["PATH"], GITHUB_REPOSITORY: "owner/sms" };
    const { status } = spawnSync("bash", ["-euc", script], { cwd: folder, encoding: "utf8", env });
    expect({ status, notes: readFileSync(join(folder, "notes.md"), "utf8") }).toEqual({
      status: 0,
      notes:
        "\nCheck what you download, in its folder:\n\n```sh\nsha256sum --check --ignore-missing SHA256SUMS\n" +
        "gh attestation verify FILE --repo owner/sms\n```\n",
    });
    rmSync(folder, { recursive: true });
  });
});

describe("the manual page", () => {
  it("has each command and option of the help, and no line that roff takes for another request", async () => {
    const page = readFileSync("dist/sms.1", "utf8");
    const { stdout } = await sms(["help", "--json"]);
    const help = JSON.parse(stdout) as {
      readonly commands: readonly { readonly name: string; readonly options: readonly { readonly option: string }[] }[];
    };
    const shown = help.commands;
    const escaped = (text: string) => text.replaceAll("-", "\\-");
    expect(shown.filter(({ name }) => !page.includes(`\n.SS "sms ${escaped(name)}"\n`))).toEqual([]);
    const options = new Set(shown.flatMap((command) => command.options.map(({ option }) => option)));
    expect([...options].filter((option) => !page.includes(`\\fB${escaped(option)}\\fP`))).toEqual([]);
    const requests = new Set(page.split("\n").flatMap((line) => /^['.]\S*/.exec(line) ?? []));
    expect([...requests].toSorted()).toEqual(
      [".B", ".I", ".PP", ".RE", ".RS", ".SH", ".SS", ".TH", ".TP", ".fi", ".nf"].toSorted(),
    );
  });
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
  return { url: `http://127.0.0.1:${port}/`, manifests: () => Object.values(published?.versions ?? {}), server };
}

it(
  "a release is packed and published by the workflow, and installed by the action, which sends",
  { ...needs("bash", "sha256sum", "/proc", "CI to be set"), timeout: 300_000 },
  async () => {
    const folder = temporaryFolder();
    const clone = join(folder, "clone");
    const registry = await startRegistry();
    const token = `${registry.url.replace("http:", "")}:_authToken=none\n`;
    writeFileSync(join(folder, "npmrc"), token);
    const here = "https://github.com/owner/sms";
    const [place, repository] = [{ GITHUB_SERVER_URL: "https://github.com" }, { GITHUB_REPOSITORY: "owner/sms" }];
    const run = async (script: string, more: Readonly<Record<string, string>> = {}, cwd = clone) => {
      const env = { ...process.env, ...place, ...repository, RUNNER_TEMP: folder, ...more };
      return promisify(execFile)("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], { cwd, env });
    };
    try {
      await run(`git clone --quiet . "${clone}"`, {}, ".");
      await run(blockWith("docs/internals/release.md", "HERE=").replace("OWNER/NAME", "owner/sms"));
      await run("sed -i 's/^## .Unreleased./## [9.9.9] - 2026-01-31/' CHANGELOG.md");
      await run("npm version 9.9.9 --no-git-tag-version");
      const packing = release.jobs["package"]?.steps.map(({ run: script = "" }) => script).join("\n") ?? "";
      await run(packing, { GITHUB_REF_NAME: "v9.9.9" });
      const user = {
        npm_config_userconfig: join(folder, "npmrc"),
        npm_config_registry: registry.url,
        npm_config_prefix: folder,
      };
      const publish = (scripts["publish"] ?? "").replace(" --provenance", "");
      await run(publish, user, join(folder, "release"));
      expect(registry.manifests()).toMatchObject([
        { version: "9.9.9", homepage: `${here}#readme`, bugs: { url: `${here}/issues` } },
      ]);
      await expect(run(publish, user, join(folder, "release"))).rejects.toThrow(
        /publish over the previously published/,
      );
      const action = join(clone, ".github/actions/send");
      await run(`bash "${action}/install.sh"`, { ...user, GITHUB_ACTION_PATH: action });
      const unset = { SENDER: "", ONCE_KEY: "", FOR: "", COUNTRY: "", EXPECT: "", MAX_CREDITS: "", LITERAL: "" };
      const message = { ...unset, TO: "+254712345678", MESSAGE: "Hi", GITHUB_OUTPUT: "output" };
      const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
      await run(`sms sandbox exec --expect-messages 1 -- bash "${action}/send.sh"`, { PATH, ...message });
      expect(readFileSync(join(clone, "output"), "utf8")).toContain("\noutcome=accepted\n");
      expect((await run("sms --version", { PATH })).stdout).toBe("9.9.9\n");
      expect(readFileSync(join(clone, "dist/sms.1"), "utf8")).toContain(`.SH REPORTING BUGS\n${here}/issues\n`);
    } finally {
      registry.server.close();
      rmSync(folder, { recursive: true });
    }
  },
);
