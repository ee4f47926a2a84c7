import { execFileSync } from "node:child_process";
import { gunzipSync } from "node:zlib";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";

const isInstalled = existsSync("/usr/bin/sms");

it(
  "the package for Debian installs the program, its page and its completions, and is removed whole",
  { ...needs("a standalone program", "CI to be set", "root", "dpkg"), timeout: 300_000 },
  ({ skip }) => {
    skip(isInstalled, "sms is installed on this machine");
    const folder = temporaryFolder();
    const run = (command: string, ...args: readonly string[]) => execFileSync(command, args, { encoding: "utf8" });
    try {
      const file = run(process.execPath, "build/release/deb.js", "linux-x64", folder).trim();
      run("dpkg", "-i", file);
      try {
        const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
        expect(run("/usr/bin/sms", "--version")).toBe(`${version}\n`);
        expect(run("/usr/bin/sms", "send", "--sandbox", "--to", "+254712345678", "-m", "Hi")).toContain("Queued");
        const files = run("dpkg", "-L", "sms-cli").split("\n");
        const page = "/usr/share/man/man1/sms.1.gz";
        expect(files).toEqual(
          expect.arrayContaining([
            "/usr/share/bash-completion/completions/sms",
            "/usr/share/doc/sms-cli/copyright",
            page,
          ]),
        );
        expect(gunzipSync(readFileSync(page)).toString()).toContain('.SS "sms send"');
      } finally {
        run("dpkg", "-r", "sms-cli");
      }
      expect(existsSync("/usr/bin/sms")).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
