import { createSocket } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { atEnd } from "../support/at-end.ts";
import { ownFolder } from "../support/folders.ts";
import { exitCodes, startSms } from "../support/sms.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";

/** A name server that never answers, which only the program uses. */
const nameServer = "127.7.7.7";

/** Starts the program in a mount namespace of its own, in which a file of the system has this line. */
function startWith(file: string, line: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { folder, env } = ownFolder();
  const own = join(folder, "file");
  writeFileSync(own, `${line}\n`);
  const through = ["unshare", "--mount", "sh", "-c", `mount --bind "${own}" ${file} && exec "$@"`, "-"];
  const service = { SMS_BASE_URL: "https://sms.example", SMS_API_KEY: "sk_live_abc" };
  return startSms(args, { env: { ...env, ...service, ...more }, through });
}

const send = (...more: readonly string[]) => ["send", "--to", "+254712345678", "--message", "Hi", ...more];

describe("a look-up of a name that nobody answers", needs("root", "/proc", "mount namespaces", "CI to be set"), () => {
  let asked: number | undefined;
  beforeAll(async () => {
    const silent = createSocket("udp4").bind(53, nameServer);
    silent.on("message", () => (asked ??= performance.now()));
    await once(silent, "listening");
    atEnd(() => void silent.close());
  });
  beforeEach(() => (asked = undefined));

  /** A resolver gives up by itself 10 seconds after its first question. */
  const lasted = () => performance.now() - (asked ?? 0);
  const startSend = (args: readonly string[], more?: Readonly<Record<string, string>>) =>
    startWith("/etc/resolv.conf", `nameserver ${nameServer}`, args, more);

  const others = Array.from({ length: 8 }, (_, index) => ["--to", `+25471234567${index}`]).flat();

  it.each([
    ["one message", []],
    ["a run", ["--run", "r", "--rate", "60000", "--yes", ...others]],
  ])("keeps nobody longer than --timeout: %s", async (_, more) => {
    const running = startSend(send(...more, "--timeout", "3", "--retries", "0"));
    await until(() => running.child.exitCode !== null);

    expect(lasted()).toBeLessThan(9_500);
    expect(running.child.exitCode).toBe(9);
    expect(running.stderr().includes("Nothing was sent") || running.stdout() !== "").toBe(true);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("is ended by %s, and nothing was sent", async (name) => {
    // Where the program can leave a look-up, it need not wait for that.
    const running = startSend(send(), "execve" in process ? { RES_OPTIONS: "timeout:30" } : {});
    await running.listens();
    await until(() => asked !== undefined);

    expect(await running.signal(name)).toBe(exitCodes[name]);
    expect(lasted()).toBeLessThan(9_500);
    expect(running.stderr()).toContain("Nothing was sent");
  });

  it("is left by a second signal, however long it takes", async () => {
    const running = startSend(send("--timeout", "60"), { RES_OPTIONS: "timeout:15" });
    await running.listens();
    running.child.kill("SIGINT");
    await running.listensNoMore();
    expect(running.stderr()).toContain("Nothing was sent");

    const code = await running.signal("SIGINT");

    // A shell makes 130 of both: the second signal may end the process by itself.
    expect([130, "SIGINT"]).toContain(code ?? running.child.signalCode);
  });
});

describe("localhost, where the system has another machine for it", needs("root", "mount namespaces"), () => {
  it.each([send(), send("--run", "r", "--yes"), ["status", "--check"]])(
    "is this machine all the same: %s",
    async (...args) => {
      const server = await startScriptedServer({ onRequest: accept() });
      const SMS_BASE_URL = server.url.replace("127.0.0.1", "localhost");

      // An address for documents (RFC 5737), which nobody has.
      await startWith("/etc/hosts", "192.0.2.1 localhost", args, { SMS_BASE_URL }).ended;

      expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual(["Bearer sk_live_abc"]);
    },
  );
});
