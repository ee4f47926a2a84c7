import { expect, it } from "vitest";
import { EventQueue, type RunEvent } from "../../src/runs/backlog.ts";

const event: RunEvent = { kind: "over-limit", charged: 1 };

it("is full from a thousand events on, until they are taken", () => {
  const queue = new EventQueue();
  expect([queue.isEmpty, queue.isFull]).toEqual([true, false]);
  for (let count = 0; count < 999; count++) queue.push(event);
  expect([queue.isEmpty, queue.isFull]).toEqual([false, false]);
  queue.push(event);
  expect(queue.isFull).toBe(true);
  expect(queue.takeAll()).toHaveLength(1_000);
  expect([queue.isEmpty, queue.isFull, queue.takeAll()]).toEqual([true, false, []]);
});

it.each<[string, (queue: EventQueue) => void]>([
  ["an event", (queue) => queue.push(event)],
  ["a wake", (queue) => queue.wake()],
])("wakes its reader at %s", async (_, act) => {
  const queue = new EventQueue();
  const change = queue.change();
  act(queue);
  await expect(change).resolves.toBeUndefined();
});
