import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { accept } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { nothing, serve } from "./service.ts";

const count = trials("SENDS", 300, 1_000);

/** Closes a connection so many milliseconds after its last byte. */
function closeOnceIdle(socket: Socket, ms = 50, onIdle = () => {}): void {
  if (socket.listenerCount("timeout") === 0) socket.on("timeout", () => void closeUnlessRead(socket, onIdle));
  socket.setTimeout(ms);
}

/** Closes a connection on which nothing has come: a busy machine fires the timer before it reads what is there. */
async function closeUnlessRead(socket: Socket, onIdle: () => void): Promise<void> {
  const { bytesRead } = socket;
  for (let turns = 0; turns < 5; turns++) await turn();
  if (socket.bytesRead !== bytesRead || socket.readableEnded || socket.destroyed) return;
  onIdle();
  socket.destroy();
}

describe("connections", () => {
  it("that carry one request each leave nobody in doubt at full speed", async () => {
    const server = await serve((socket, request, index) => {
      accept()(socket, request, index);
      closeOnceIdle(socket);
    });
    const { tally } = await sendRun(await begunRun(drafts(count)), server.url, { concurrency: 8 });
    expect(tally).toMatchObject({ ...nothing, accepted: count });
    expect([server.connections(), server.requests.length]).toEqual([count, count]);
  });

  it("that are reused never idle: 100 sends at one each 50 ms", async () => {
    let idle = 0;
    const server = await serve((socket, request, index) => {
      accept()(socket, request, index);
      closeOnceIdle(socket, 25, () => idle++);
    });
    const { tally } = await sendRun(await begunRun(drafts(100)), server.url, {
      concurrency: 2,
      isReused: true,
      perMinute: 60_000 / 50,
    });
    expect(tally).toMatchObject({ ...nothing, accepted: 100 });
    expect([server.requests.length, idle]).toEqual([100, 0]);
  });

  it("that are reused last at full speed against a service that closes idle ones after 50 ms", async () => {
    const server = await serve((socket, request, index) => {
      accept()(socket, request, index);
      closeOnceIdle(socket);
    });
    const course = { concurrency: 8, isReused: true };
    const { tally } = await sendRun(await begunRun(drafts(count)), server.url, course);
    expect(tally).toMatchObject({ ...nothing, accepted: count });
    expect(server.requests).toHaveLength(count);
  });
});
