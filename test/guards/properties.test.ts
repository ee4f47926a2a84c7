import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sms } from "../support/machine.ts";
import { accept, answer } from "../support/scripts.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/folders.ts";

const numbers = Array.from({ length: 6 }, (_, index) => `+25471234500${index}`);
const some = fc.subarray(numbers, { minLength: 1 });
const any = fc.subarray(numbers);

const scene = fc.record({
  rows: fc.array(fc.constantFrom(...numbers), { minLength: 1, maxLength: 8 }),
  flag: fc.option(some, { nil: undefined }),
  variable: fc.option(some, { nil: undefined }),
  excluded: any,
  optedOut: any,
  /** Who opts out, and in, before the run is resumed. */
  out: any,
  in: any,
  /** After how many messages the credits are used up. */
  credits: fc.nat(6),
  isLoose: fc.boolean(),
});

let server: ScriptedServer;
let texted: string[];
let credits: number;

beforeAll(async () => {
  server = await startScriptedServer({
    onRequest: (socket, request, index) => {
      if (texted.length >= credits) return answer(402, {})(socket, request, index);
      texted.push((JSON.parse(request.body) as { to: string }).to);
      accept()(socket, request, index);
    },
  });
});

afterAll(() => server.close());

it("nobody outside the guards is ever sent to, and nobody inside them is missed", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (parts) => {
      const folder = temporaryFolder();
      try {
        await play(parts, folder);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 12, seed },
  );
});

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

async function play(parts: Scene, folder: string): Promise<void> {
  texted = [];
  credits = parts.credits;
  const list = (name: string, content: readonly string[]) => {
    writeFileSync(join(folder, name), `${content.join("\n")}\n`);
    return join(folder, name);
  };
  const environment = {
    SMS_STATE_DIR: join(folder, "state"),
    SMS_BASE_URL: server.url,
    SMS_API_KEY: "sk_test_abc",
    ...(parts.variable !== undefined && { SMS_ONLY_TO: parts.variable.join(",") }),
  };
  const run = async (...args: readonly string[]) => (await sms(args, { environment })).code;
  const optout = async (verb: string, recipients: readonly string[]) => {
    expect(recipients.length === 0 ? 0 : await run("optout", verb, ...recipients, "--yes")).toBe(0);
  };
  const onlyTo = parts.flag === undefined ? [] : ["--only-to", list("only.txt", parts.flag)];
  const loose = parts.isLoose ? ["--skip-invalid"] : [];
  // A list without a number is refused.
  const excluded = parts.excluded.length === 0 ? [] : ["--exclude", list("exclude.txt", parts.excluded)];
  const exclude = [...excluded, ...loose];
  const pace = ["--rate", "15000", "--yes"];

  await optout("add", parts.optedOut);
  const send = ["send", "-r", list("rows.txt", parts.rows), "-m", "Hi", "--run", "a"];
  const code = await run(...send, ...onlyTo, ...exclude, ...pace);
  const wanted = [...new Set(parts.rows)].filter((to) => !parts.excluded.includes(to));
  const mayBeSent = (to: string) => [parts.flag, parts.variable].every((allowed) => allowed?.includes(to) ?? true);
  const planned = wanted.filter((to) => !parts.optedOut.includes(to));
  const isRefused = !wanted.every(mayBeSent);
  const first = isRefused ? [] : planned.slice(0, parts.credits);
  const allAccepted = first.length === planned.length ? 0 : 5;
  expect([code, texted]).toEqual([isRefused ? 2 : allAccepted, first]);
  if (isRefused || planned.length === 0) return;

  credits = Infinity;
  await optout("add", parts.out);
  const isOut = new Set([...parts.optedOut, ...parts.out]);
  const back = parts.in.filter((to) => isOut.has(to));
  await optout("remove", back);
  for (const to of back) isOut.delete(to);
  // Several requests may meet that there are no credits.
  const resume = ["runs", "resume", "a", "--retry", "rejected", ...onlyTo, ...pace];
  expect([0, 11]).toContain(await run(...resume));
  const rest = planned.slice(parts.credits).filter((to) => !isOut.has(to));
  expect(texted.toSorted()).toEqual([...first, ...rest].toSorted());

  // Nobody comes back into a run that left them out.
  await optout("remove", [...isOut]);
  expect(await run(...resume)).toBe(0);
  expect(texted.toSorted()).toEqual([...first, ...rest].toSorted());
}
