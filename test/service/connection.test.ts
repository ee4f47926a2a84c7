import { expect, it } from "vitest";
import { lookUp } from "../../src/service/connection.ts";

const all = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

it.each([
  [{ all: true }, [all, undefined]],
  [{ all: true, family: 6 }, [all.slice(1), undefined]],
  [{ all: true, family: "IPv4" }, [all.slice(0, 1), undefined]],
  [{}, ["127.0.0.1", 4]],
  [{ family: 6 }, ["::1", 6]],
] as const)("localhost is this machine, with %j", async (options, addresses) => {
  const answer = await new Promise((resolve) => {
    lookUp("LocalHost", options, (error, ...answers) => resolve(error ?? [answers[0], answers[1]]));
  });
  expect(answer).toEqual(addresses);
});
