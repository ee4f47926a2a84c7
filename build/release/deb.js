// Packs a standalone program as a package for Debian: node build/release/deb.js linux-x64 [FOLDER]. Needs dpkg-deb.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const architectures = { "linux-x64": "amd64", "linux-arm64": "arm64" };

const root = fileURLToPath(new URL("../..", import.meta.url));
const [target = "", folder = "binaries"] = process.argv.slice(2);
const architecture = architectures[target];
if (architecture === undefined) throw new Error(`name one of ${Object.keys(architectures).join(", ")}`);

const { version, description, homepage } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const program = join(root, "binaries", `sms-${target}`);
const file = resolve(folder, `sms-cli_${version}_${architecture}.deb`);

const work = mkdtempSync(join(tmpdir(), "sms-deb-"));
try {
  // It becomes the root of the package.
  chmodSync(work, 0o755);
  put("usr/bin/sms", readFileSync(program), 0o755);
  put("usr/share/man/man1/sms.1.gz", gzipSync(readFileSync(join(root, "dist/sms.1")), { level: 9 }));
  put("usr/share/doc/sms-cli/copyright", readFileSync(join(root, "binaries", `LICENSES-${target}.txt`)));
  const completion = (shell) => execFileSync(process.execPath, [join(root, "bin/sms.js"), "completion", shell]);
  put("usr/share/bash-completion/completions/sms", completion("bash"));
  put("usr/share/zsh/vendor-completions/_sms", completion("zsh"));
  put("usr/share/fish/vendor_completions.d/sms.fish", completion("fish"));
  put("DEBIAN/control", control());
  // The times of the files are the time of the commit, so that the same files pack to the same package.
  const committed = execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).trim();
  const env = { SOURCE_DATE_EPOCH: committed, ...process.env };
  execFileSync("dpkg-deb", ["--root-owner-group", "-Zgzip", "--build", work, file], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
} finally {
  rmSync(work, { recursive: true });
}
process.stdout.write(`${file}\n`);

function put(path, content, mode = 0o644) {
  mkdirSync(join(work, dirname(path)), { recursive: true, mode: 0o755 });
  writeFileSync(join(work, path), content, { mode });
}

// Node 24 needs these versions of the libraries: docs/install.md.
function control() {
  return `Package: sms-cli
Version: ${version.replace("-", "~")}
Architecture: ${architecture}
Maintainer: contributors of sms-cli <noreply@sms-cli.invalid>
Depends: libc6 (>= 2.28), libstdc++6
Section: comm
Priority: optional
${homepage === undefined ? "" : `Homepage: ${homepage}\n`}Description: ${description}
`;
}
