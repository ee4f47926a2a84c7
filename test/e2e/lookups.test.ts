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

/** A name server that never answers, which only the program uses, in a mount namespace of its own. */
const nameServer = "127.7.7.7";

function through(folder: string): readonly string[] {
  const file = join(folder, "resolv.conf");
  writeFileSync(file, `nameserver ${nameServer}\n`);
  const mount = `mount --bind "${file}" /etc/resolv.conf && exec "$@"`;
  return ["unshare", "--mount", "sh", "-c", mount, "-"];
}

describe("a look-up of a name that nobody answers", needs("root", "/proc", "mount namespaces"), () => {
  let asked: number | undefined;
  beforeAll(async () => {
    const silent = createSocket("udp4").bind(53, nameServer);
    silent.on("message", () => (asked ??= performance.now()));
    await once(silent, "listening");
    atEnd(() => void silent.close());
  });
  beforeEach(() => (asked = undefined));

  /** Expects an end before a resolver gives up by itself, which is 10 seconds after its first question. */
  function expectEarlyEnd() {
    expect(performance.now() - (asked ?? 0)).toBeLessThan(9_500);
  }

  const recipients = Array.from({ length: 8 }, (_, index) => ["--to", `+25471234567${index}`]).flat();

  it.each([
    ["one message", ["--to", "+254712345678"]],
    ["a run", ["--run", "r", "--rate", "60000", ...recipients]],
  ])("keeps nobody longer than --timeout: %s", async (_, args) => {
    const { folder, env } = ownFolder();
    const key = { SMS_BASE_URL: "https://sms.example", SMS_API_KEY: "sk_test_abc" };
    const running = startSms(["send", ...args, "--message", "Hi", "--timeout", "3", "--retries", "0"], {
      env: { ...env, ...key },
      through: through(folder),
    });
    await until(() => running.child.exitCode !== null);
    expectEarlyEnd();

    expect([running.child.exitCode, running.stderr().includes("Nothing was sent") || running.stdout() !== ""]).toEqual([
      9,
      true,
    ]);
  });

  const sendTo = (more: Readonly<Record<string, string>> = {}) => {
    const { folder, env } = ownFolder();
    const key = { SMS_BASE_URL: "https://sms.example", SMS_API_KEY: "sk_test_abc" };
    const send = ["send", "--to", "+254712345678", "--message", "Hi", "--timeout", "60"];
    return startSms(send, { env: { ...env, ...key, ...more }, through: through(folder) });
  };

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("is ended by %s, and nothing was sent", async (name) => {
    // Where the program can leave a look-up, it need not wait for that.
    const running = sendTo("execve" in process ? { RES_OPTIONS: "timeout:30" } : {});
    await running.listens();
    await until(() => asked !== undefined);
    expect(await running.signal(name)).toBe(exitCodes[name]);
    expectEarlyEnd();

    expect(running.stderr()).toContain("Nothing was sent");
  });

  it("is left by a second signal, however long it takes", async () => {
    const running = sendTo({ RES_OPTIONS: "timeout:15" });
    await running.listens();
    running.child.kill("SIGINT");
    await running.listensNoMore();
    expect(running.stderr()).toContain("Nothing was sent");
    const code = await running.signal("SIGINT");

    // A shell makes 130 of both: the second signal may end the process by itself.
    expect([130, "SIGINT"]).toContain(code ?? running.child.signalCode);
  });
});

describe("localhost, where the system has another machine for it", needs("root", "/proc", "mount namespaces"), () => {
  it.each([
    ["one message", ["send", "--to", "+254712345678", "--message", "Hi"]],
    ["a run", ["send", "--to", "+254712345678", "--message", "Hi", "--run", "r", "--yes"]],
    ["a check of credentials", ["status", "--check"]],
  ])("is this machine all the same: %s", async (_, args) => {
    const { folder, env } = ownFolder();
    const server = await startScriptedServer({ onRequest: accept() });
    const hosts = join(folder, "hosts");
    // An address for documents (RFC 5737), which nobody has.
    writeFileSync(hosts, "192.0.2.1 localhost\n");
    const mount = `mount --bind "${hosts}" /etc/hosts && exec "$@"`;
    const key = { SMS_BASE_URL: server.url.replace("127.0.0.1", "localhost"), SMS_API_KEY: "sk_live_abc" };
    const running = startSms(args, {
      env: { ...env, ...key },
      through: ["unshare", "--mount", "sh", "-c", mount, "-"],
    });
    await until(() => server.requests.length === 1);
    await until(() => running.child.exitCode !== null);

    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key.SMS_API_KEY}` });
  });
});
