import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AccountEvent, openAccount } from "../../src/sandbox/account.ts";
import { openFeed } from "../../src/sandbox/feed.ts";
import type { HistoryPage } from "../../src/sandbox/history.ts";
import { writeReply } from "../../src/sandbox/reply.ts";
import { defaultSetup } from "../../src/sandbox/setup.ts";
import { ask, follow, hello, post, runSandbox } from "./running.ts";

/** An account whose clock advances by a second with each entry. */
function ticking(publish: (event: AccountEvent) => void = () => {}) {
  let now = Date.UTC(2030, 0, 1);
  let ids = 0;
  return openAccount({ setup: defaultSetup, now: () => (now += 1000), newId: () => `message-${++ids}`, publish });
}

/** Accepts that many messages, and refuses a send after every third. */
function fill(account: ReturnType<typeof ticking>, count: number, message: string) {
  for (let n = 0; n < count; n++) {
    account.accept({ kind: "send", ...hello, message, sender: "SANDBOX" }, "test", {});
    if (n % 3 === 2) account.refuse({ to: hello.to, message, status: 400, reason: "", requestId: 1 });
  }
}

/** All pages, latest first. */
function allPages(account: ReturnType<typeof ticking>): readonly HistoryPage[] {
  const pages = [account.page()];
  for (let earlier = pages[0]?.earlier; earlier !== undefined; earlier = pages.at(-1)?.earlier) {
    pages.push(account.page(earlier));
  }
  return pages;
}

describe("pages of the history", () => {
  it.each([
    ["short", "Hello", 500],
    ["long", "a".repeat(1600), 200],
  ])("have every entry of %s texts once, in order", (_, message, most) => {
    const account = ticking();
    fill(account, 1500, message);
    const pages = allPages(account);
    const oldestFirst = pages.toReversed();
    expect(oldestFirst.flatMap(({ entries }) => entries)).toEqual(account.entries);
    expect(Math.max(...pages.map(({ entries }) => entries.length))).toBeLessThanOrEqual(most);
    expect(Math.max(...pages.map((page) => JSON.stringify(page).length))).toBeLessThan(300 * 1024);
  });

  it("have a single entry that is longer than a page", () => {
    const account = ticking();
    for (let n = 0; n < 2; n++)
      account.refuse({ to: hello.to, message: "a".repeat(1024 * 1024), status: 400, reason: "", requestId: 1 });
    expect(allPages(account).map(({ entries }) => entries.length)).toEqual([1, 1]);
  });

  it("end at the oldest entry that is kept", () => {
    const account = ticking();
    fill(account, 600, "Hello");
    const { earlier } = account.page();
    account.clear();
    const none = { entries: [] };
    expect(account.page(earlier)).toEqual(none);
    account.refuse({ to: hello.to, status: 400, reason: "", requestId: 1 });
    expect(account.page(earlier)).toEqual(none);
    expect(account.page(1e15).entries).toHaveLength(1);
  });

  it("follow the snapshot on request", async () => {
    const sandbox = await runSandbox({ rate: 2000 });
    // A page has 256 Ki characters, and 500 entries, at most.
    for (let n = 0; n < 90; n++) await post(sandbox, { ...hello, message: "a".repeat(1600) });
    const [, snapshot] = await (await follow(sandbox))();
    const { earlier } = snapshot as { readonly earlier: number };
    const entries = Array.from({ length: earlier }, (_, n) => ({ message: { messageId: `message-${n + 1}` } }));
    expect(earlier).toBeGreaterThan(0);
    expect(await ask(sandbox, `earlier?place=${earlier}`)).toMatchObject([200, { entries }]);
    expect((await ask(sandbox, "earlier?place=-1"))[0]).toBe(400);
  });
});

describe("many readers of the feed", () => {
  it("hold little memory if they do not read", async () => {
    const feed = openFeed();
    const account = ticking(feed.publish);
    fill(account, 6000, "a".repeat(160));
    const responses: ServerResponse[] = [];
    const server = createServer((_, response) => {
      responses.push(response);
      writeReply(response, feed.replyWith(account.page()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
    });
    for (let n = 0; n < 20; n++) {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(socket, "readable");
    }
    const held = () => responses.reduce((sum, { writableLength }) => sum + writableLength, 0);
    const limit = 20 * 1.5 * 1024 * 1024;
    expect(held()).toBeLessThan(limit);
    // Synchronously, so that the kernel takes nothing in between.
    for (let n = 0; n < 60; n++) {
      fill(account, 100, "a".repeat(160));
      expect(held()).toBeLessThan(limit);
    }
    expect(responses.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
