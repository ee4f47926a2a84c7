import { beforeAll, describe, expect, it } from "vitest";
import { sms } from "../support/machine.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";

let server: ScriptedServer;
beforeAll(async () => {
  const late = accept();
  server = await startScriptedServer({
    onRequest: (socket, request, index) => void setTimeout(() => late(socket, request, index), 1_500),
  });
});

describe.concurrent("a send that lasts", () => {
  it.each([
    ["shows what it waits for", true, [], {}, true],
    ["is silent with --json", true, ["--json"], {}, false],
    ["is silent with --quiet", true, ["--quiet"], {}, false],
    ["is silent with CI", true, [], { CI: "true" }, false],
    ["is silent with TERM=dumb", true, [], { TERM: "dumb" }, false],
    ["is silent without a terminal", false, [], {}, false],
  ] as const)("%s", async (_, isTerminal, flags, more, isShown) => {
    const environment = { ...testKey, SMS_BASE_URL: server.url, ...more };
    const { code, stderr } = await sms([...sendHi, ...flags], { environment, isTerminal });
    expect({ code, hasText: stderr.includes("Sending to"), hasEscape: stderr.includes("\u001b") }).toEqual({
      code: 0,
      hasText: isShown,
      hasEscape: isShown,
    });
  });
});
