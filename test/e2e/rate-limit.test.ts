import { describe, expect, test } from "vitest";
import { allowanceMs, type Fault, stage, staged } from "../support/fault.ts";
import { runAgainst, sendHi } from "../support/scripted-run.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer, inTurn } from "../support/scripts.ts";

/** Answers 429, with this Retry-After if any. */
function limit(retryAfter?: string): Script {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return answer(429, { error: "ACME says wait", errorCode: "ACME_WAIT" }, headers);
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toUTCString();
}

describe.concurrent("a server that is always over its rate limit", () => {
  const limited = { exitCode: 7, outcome: "unsent", errorCode: "ACME_WAIT", httpStatus: 429 } as const;

  test.each<Fault>(
    [
      { name: "without retries", onRequest: limit(), args: ["--retries", "0"], posts: 1 },
      { name: "with one retry", onRequest: limit(), args: ["--retries", "1"], posts: 2 },
      { name: "asking for a day", onRequest: limit("86400"), timeout: 2, posts: 1 },
      { name: "asking for a date in a year", onRequest: limit(inSeconds(31_536_000)), timeout: 2, posts: 1 },
      {
        name: "asking for more than a number can hold",
        onRequest: limit("9".repeat(400)),
        timeout: 2,
        posts: 1,
      },
    ].map(({ onRequest, ...row }) => ({ ...limited, ...row, server: { onRequest } })),
  )("$name: exit 7, $posts POST", async (fault) => {
    expect(await stage(fault)).toEqual(staged(fault));
  });
});

describe.concurrent("a server that is over its rate limit once", () => {
  test.each<{ name: string; first: Script; leastMs: number }>([
    { name: "gives no time", first: limit(), leastMs: 0 },
    { name: "asks for a second", first: limit("1"), leastMs: 1000 },
    // Dates have whole seconds: a date in three is more than two seconds away.
    { name: "asks for a date", first: (...seen) => limit(inSeconds(3))(...seen), leastMs: 2000 },
    { name: "asks for a past date", first: limit(inSeconds(-60)), leastMs: 0 },
    { name: "asks for an invalid time", first: limit("soon"), leastMs: 0 },
  ])("and $name: it accepts at least $leastMs ms later", async ({ first, leastMs }) => {
    const { ended, requests } = await runAgainst({ onRequest: inTurn(first, accept()) }, [...sendHi, "--json"]);
    expect([ended.code, ended.stderr, requests.length]).toEqual([0, "", 2]);
    const [before = 0, after = 0] = requests.map(({ readAt }) => readAt);
    expect(after - before).toBeGreaterThanOrEqual(leastMs);
    expect(after - before).toBeLessThan(leastMs + allowanceMs);
  });
});
