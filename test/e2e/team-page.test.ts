import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blocks } from "../support/blocks.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";

describe("docs/team.md", needs("POSIX shell", "PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();

  it("sets a record up, and its job that runs twice sends once, with the rights of a sender", () => {
    const home = mkdtempSync(join(tmpdir(), "sms-"));
    writeFileSync(join(home, "sms"), `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`, { mode: 0o755 });
    const url = new URL(postgres.newRecord("nothing"));
    const code = (language: string) =>
      blocks("docs/team.md")
        .filter((block) => block.language === language)
        .map((block) => block.code)
        .join("\n");
    const shell = (script: string) => {
      const here = script.replaceAll(/postgres:\/\/(\w+)@db\.example\/sms/g, (_, user: string) =>
        String(Object.assign(new URL(url), { username: user === "owner" ? "sms" : user })),
      );
      const env = { HOME: home, LC_ALL: "C.UTF-8", PATH: `${home}${delimiter}${process.env["PATH"]}` };
      return spawnSync("sh", ["-ec", here], { cwd: home, env, encoding: "utf8" });
    };
    expect(shell(code("sh"))).toMatchObject({ status: 0 });
    postgres.sql("postgres", "create role sender login");
    postgres.sql(url.pathname.slice(1), code("sql"));
    const { env, steps } = parse(code("yaml")) as { env: Record<string, string>; steps: { run: string }[] };
    const job = `export SMS_RECORD=${env["SMS_RECORD"]} GITHUB_SHA=c0ffee\n${steps.map(({ run }) => run).join("\n")}`;
    writeFileSync(join(home, "job.sh"), "");
    const twice = shell(
      `cat > job.sh <<'END'\n${job}\nEND\nsms sandbox exec --expect-messages 1 -- sh -ec '. ./job.sh; . ./job.sh'`,
    );
    expect(twice).toMatchObject({ status: 0 });
    rmSync(home, { recursive: true });
  });
});
