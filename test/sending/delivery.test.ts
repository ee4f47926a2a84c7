import { expect, it } from "vitest";
import type { Guard } from "../../src/guards/guard.ts";
import { checkMessage } from "../../src/recipients/one-message.ts";
import type { HistoryKeeper } from "../../src/record/history.ts";
import { deliverMessage } from "../../src/sending/message/delivery.ts";
import { connect, openSend } from "../../src/sending/opening.ts";
import { contextFor } from "../../src/terminal/presenter.ts";
import { createRedactor } from "../../src/terminal/redact.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";

const to = "+254712345678";

it("a message that was accepted ends so, even if a guard fails before that is recorded", async () => {
  const server = await startScriptedServer({ onRequest: accept() });
  const environment = { ...foldersIn(temporaryFolder()), SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_abc" };
  const failure = new Error("EIO");
  let failures = 0;
  const guard: Guard = {
    rule: undefined,
    isCurrent: () => server.requests.length === 0,
    renew: () => (failures++, Promise.reject(failure)),
  };
  const append = () => new Promise<void>((resolve) => setTimeout(resolve, server.requests.length * 100));
  const style = { json: false, quiet: true, verbose: false, color: false, input: false, yes: false };
  const options = { ...style, to: [to], message: "Hi", timeout: 30, retries: 0 };
  let outcome: string | undefined;

  await sms([], { environment }, async (_, host) => {
    const local = await openSend(options, await contextFor(host, createRedactor(), options));
    await using send = await connect(local);
    if (send.kind === "dry-run" || local.history === undefined) throw new Error("it is sent and recorded");
    const history: HistoryKeeper = { ...local.history, append };
    const message = await checkMessage(local, to, "Hi");
    outcome = (await deliverMessage(message, { ...send, history, guards: [guard] })).outcome.kind;
    return 0;
  });

  expect([outcome, failures]).toEqual(["accepted", 1]);
});
