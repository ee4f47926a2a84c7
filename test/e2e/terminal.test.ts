import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Runs a shell line on a pseudo-terminal of its own and gives what a person would see on it. */
function onTerminal(line: string, environment: Readonly<Record<string, string>> = {}): string {
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    encoding: "utf8",
    input: "",
    env: { PATH: process.env["PATH"], TERM: "xterm", ...environment },
    timeout: 15_000,
  });
  return stdout;
}

const send = `${process.execPath} bin/sms.js send --sandbox --to +254712345678`;

describe.skipIf(!hasScript)("on a terminal", () => {
  it("a person sees colours", () => {
    expect(onTerminal(`${send} -m Hi`)).toContain("\u001b[32m✓\u001b[39m Queued for +254712345678");
  });

  it("and none with NO_COLOR, --no-color, or TERM=dumb", () => {
    const shown = [
      onTerminal(`${send} -m Hi`, { NO_COLOR: "1" }),
      onTerminal(`${send} -m Hi --no-color`),
      onTerminal(`${send} -m Hi`, { TERM: "dumb" }),
    ];
    expect(shown.map((text) => [text.includes("Queued"), text.includes("\u001b")])).toEqual([
      [true, false],
      [true, false],
      [true, false],
    ]);
  });

  it("a missing text is asked for by name, and never waited for", () => {
    expect(onTerminal(`${send} < /dev/tty`)).toContain("there is no message");
  });
});
