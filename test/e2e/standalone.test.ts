import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { isStandalone, program } from "../support/sms.ts";

describe("a standalone program", needs("a standalone program"), () => {
  const [file] = program;
  const bytes = isStandalone ? readFileSync(file) : Buffer.of();

  it("has no path of the folder that it was built in", () => {
    // The folder that build/binary/build.js works in, and the tree.
    for (const path of ["sms-binary-", process.cwd()]) expect(bytes.includes(path)).toBe(false);
  });

  it("has the licences of itself, of what is bundled and of Node beside it", () => {
    const name = readdirSync(dirname(file)).find((entry) => /^LICENSES-.*\.txt$/.test(entry)) ?? "";
    const licences = readFileSync(join(dirname(file), name), "utf8");
    for (const path of ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"]) {
      expect(licences).toContain(readFileSync(path, "utf8").trim());
    }

    expect(licences).toContain("Node.js is licensed for use as follows:");
    expect(licences).toContain("- V8, located at deps/v8, is licensed as follows:");
  });

  it.runIf(process.platform === "linux")("needs the glibc and the libstdc++ that docs/install.md names", () => {
    const versions = [...bytes.toString("latin1").matchAll(/GLIBC_2\.(\d+)\0/g)].map(([, minor]) => Number(minor));
    expect(bytes.includes("libstdc++.so.6\0")).toBe(true);
    const page = readFileSync("docs/install.md", "utf8");
    expect(page).toContain(`glibc 2.${Math.max(...versions)} or newer and libstdc++`);
  });
});
