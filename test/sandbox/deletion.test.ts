import { describe, expect, it } from "vitest";
import { ask, follow, hello, post, runSandbox, tell } from "./running.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";

const other = "+254712345679";

async function ids({ messages }: Sandbox) {
  return messages().map(({ messageId }) => messageId);
}

async function change(sandbox: Sandbox, method: string, path: string) {
  return (await fetch(`${sandbox.url}/_sandbox/${path}`, { method })).status;
}

describe("deleting in the sandbox", () => {
  it("takes one message, a conversation with its refusals, or all, and is undone", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other, other]) await post(sandbox, { ...hello, to });
    await post(sandbox, { to: "07 12", message: "Hello" });
    expect(await change(sandbox, "DELETE", "messages?id=none")).toBe(404);
    expect(await change(sandbox, "POST", "undo")).toBe(404);
    expect(await change(sandbox, "DELETE", "messages?sender=ACME")).toBe(400);
    expect(await change(sandbox, "DELETE", "messages?id=message-2")).toBe(204);
    expect(await ids(sandbox)).toEqual(["message-1", "message-3"]);
    await post(sandbox, hello);
    expect(await change(sandbox, "POST", "undo")).toBe(204);
    expect(await ids(sandbox)).toEqual(["message-1", "message-2", "message-3", "message-4"]);
    expect(await change(sandbox, "DELETE", `messages?to=${other}`)).toBe(204);
    expect(await change(sandbox, "DELETE", "messages?to=07%2012")).toBe(204);
    expect(await (await follow(sandbox))()).toMatchObject([
      "snapshot",
      { entries: [{ message: { messageId: "message-1" } }, { message: { messageId: "message-4" } }] },
    ]);
    expect(await change(sandbox, "DELETE", "messages")).toBe(204);
    expect([await ids(sandbox), (await ask(sandbox, "requests"))[1]]).toEqual([[], []]);
    await post(sandbox, hello);
    expect(await change(sandbox, "POST", "undo")).toBe(204);
    expect(await ids(sandbox)).toEqual(["message-1", "message-4", "message-5"]);
    const [, requests] = await ask(sandbox, "requests");
    expect((requests as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await change(sandbox, "POST", "undo")).toBe(404);
    await tell(sandbox, "reset");
    expect(await change(sandbox, "POST", "undo")).toBe(404);
    expect(await ask(sandbox, "requests")).toEqual([200, []]);
  });

  it("brings back only what the last deletion took", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    await change(sandbox, "DELETE", "messages");
    await post(sandbox, hello);
    await change(sandbox, "DELETE", "messages?id=message-2");
    expect(await change(sandbox, "POST", "undo")).toBe(204);
    expect(await ids(sandbox)).toEqual(["message-2"]);
    expect((await ask(sandbox, "requests"))[1]).toMatchObject([{ id: 2 }]);
  });

  it("brings back what a clear took after another that took nothing", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    for (let clicks = 0; clicks < 2; clicks++) expect(await change(sandbox, "DELETE", "messages")).toBe(204);
    expect(await change(sandbox, "POST", "undo")).toBe(204);
    expect([await ids(sandbox), (await ask(sandbox, "requests"))[1]]).toMatchObject([["message-1"], [{ id: 1 }]]);
  });

  it("brings back requests that became no message, and nothing of an earlier deletion", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    await change(sandbox, "DELETE", "messages");
    await fetch(`${sandbox.url}/elsewhere`);
    expect(await change(sandbox, "DELETE", "messages")).toBe(204);
    expect(await change(sandbox, "POST", "undo")).toBe(204);
    expect([await ids(sandbox), (await ask(sandbox, "requests"))[1]]).toMatchObject([[], [{ status: 404 }]]);
  });

  it("is undone by its number if no other came after it", async () => {
    const sandbox = await runSandbox();
    const messages = `${sandbox.url}/_sandbox/messages`;
    const numbers = [];
    for (const id of ["message-1", "message-2"]) {
      await post(sandbox, hello);
      numbers.push((await fetch(`${messages}?id=${id}`, { method: "DELETE" })).headers.get("deletion"));
    }
    expect(await change(sandbox, "POST", `undo?of=${numbers[0]}`)).toBe(404);
    expect(await change(sandbox, "POST", `undo?of=${numbers[1]}`)).toBe(204);
    expect(await ids(sandbox)).toEqual(["message-2"]);
  });

  it("tells the readers of the feed to begin anew", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    const next = await follow(sandbox);
    await next();
    await change(sandbox, "DELETE", "messages?id=message-1");
    expect(await next()).toEqual(["changed", {}]);
    await change(sandbox, "POST", "undo");
    expect(await next()).toEqual(["changed", {}]);
  });
});
