// What the parts of the benchmark share: a folder, a server, and the tree's TypeScript as programs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";

/**
 * Starts the server, in a process of its own, and gives its origins, its process id and its certificate, beside ways to
 * put a file into a temporary folder; `close` ends and removes all.
 */
export async function openDesk() {
  const folder = mkdtempSync(join(tmpdir(), "sms-bench-"));
  const { selfSigned } = await import(pathToFileURL(await bundle("../support/certificates.ts")).href);
  const certificate = selfSigned({ names: ["127.0.0.1"] });
  const files = [file("key.pem", certificate.key), file("cert.pem", certificate.cert)];
  const script = fileURLToPath(new URL("server.js", import.meta.url));
  const server = spawn(process.execPath, [script, ...files], { stdio: ["ignore", "pipe", "inherit"] });
  const [ports] = await once(server.stdout, "data");
  const { http, https, slowHttp, slowHttps } = JSON.parse(ports);

  function file(name, text, mode) {
    const path = join(folder, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  async function bundle(source) {
    await build({
      input: fileURLToPath(new URL(source, import.meta.url)),
      platform: "node",
      resolve: {
        alias: { undici: fileURLToPath(new URL("../../build/undici.js", import.meta.url)) },
      },
      logLevel: "warn",
      checks: { ineffectiveDynamicImport: false },
      output: { dir: folder, format: "esm", minify: true, entryFileNames: "[name].mjs" },
    });
    return join(folder, basename(source).replace(/\.ts$/, ".mjs"));
  }

  // A copy, so that only the benchmark has Node keep compiled code beside it.
  for (const part of ["bin", "dist"]) cpSync(part, join(folder, "program", part), { recursive: true });

  return {
    folder,
    program: join(folder, "program/bin/sms.js"),
    file,
    bundle,
    certificate: certificate.cert,
    serverId: server.pid,
    origins: { http: `http://127.0.0.1:${http}`, https: `https://127.0.0.1:${https}` },
    slowOrigins: { http: `http://127.0.0.1:${slowHttp}`, https: `https://127.0.0.1:${slowHttps}` },
    close() {
      server.kill();
      rmSync(folder, { recursive: true });
    },
  };
}
