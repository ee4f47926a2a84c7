import { expect, it } from "vitest";
import { accept } from "../support/scripts.ts";
import { closing } from "./closing.ts";
import { begunRun, drafts, host, sendRun } from "./running.ts";
import { serve } from "./service.ts";

it("begins nothing from closing time on, and what is left can be resumed", async () => {
  const server = await serve(accept());
  const files = await begunRun(drafts(3));
  const late = await sendRun(files, server.url, { guards: [closing(host.wallClock())] });
  expect(late).toMatchObject({ ending: "limit", tally: { accepted: 0, pending: 3 } });
  expect(late.events).toMatchObject([{ kind: "stopping", failure: { errorCode: "OUTSIDE_HOURS" } }]);
  expect(server.requests).toHaveLength(0);
  expect((await sendRun(files, server.url)).ending).toBe("accepted");
});

it("is done although closing time comes while the last message is in flight", async () => {
  let received = 0;
  const server = await serve((socket, request, index) => {
    received++;
    accept()(socket, request, index);
  });
  const course = { wallClock: () => received, guards: [closing(2)], inFlight: 1 };
  expect(await sendRun(await begunRun(drafts(2)), server.url, course)).toMatchObject({ ending: "accepted" });
});
