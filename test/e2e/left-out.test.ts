import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCountingServer } from "../support/counting-server.ts";
import { temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { drawing, seed } from "../support/seed.ts";
import { testKey } from "../support/scripted-run.ts";
import { lastJson, runSms, startSms } from "../support/sms.ts";

type Env = Readonly<Record<string, string>>;

const draw = drawing(seed);
const numberOf = (index: number) => `+25471${2_000_000 + index}`;
const size = 3_000;

/** Of six rows one is left out: 200 opted out, 100 excluded, 100 twice, 100 without a number. */
const kinds = ["opted out", "opted out", "excluded", "duplicate", "invalid"] as const;
const kindOf = (index: number) => (index % 6 === 5 ? kinds[Math.floor(index / 6) % kinds.length] : "sent");

function rowOf(index: number): string {
  const kind = kindOf(index);
  return `Person ${index},${kind === "duplicate" ? numberOf(index - 1) : kind === "invalid" ? "07" : numberOf(index)}`;
}

const rows = Array.from({ length: size }, (_, index) => index);
const numbersOf = (kind: ReturnType<typeof kindOf>) => rows.filter((index) => kindOf(index) === kind).map(numberOf);

/** Sends the mailing while its process is killed again and again, and another command begins the same one meanwhile. */
async function mailInStorm(env: Env, counts: ReadonlyMap<string, number>) {
  const folder = temporaryFolder();
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return join(folder, name);
  };
  await runSms(["optout", "import", file("out.txt", numbersOf("opted out")), "--yes"], { env });
  const list = file("list.csv", ["Name,Phone", ...rows.map(rowOf)]);
  const options = ["--skip-invalid", "--exclude", file("excluded.txt", numbersOf("excluded")), "--country", "KE"];
  const send = ["send", "-r", list, "-m", "Hi", ...options, "--run", "mail", "--rate", "100000", "--yes", "--json"];
  for (let kill = 0; kill < 4; kill++) {
    const [first, second] = [startSms(send, { env, stdin: "" }), startSms(send, { env, stdin: "" })];
    const goal = counts.size + draw(500);
    const isOver = () => first.child.exitCode !== null && second.child.exitCode !== null;
    // The first kills come while the plan is made.
    if (kill < 2) await setTimeout(300 + draw(700));
    else while (counts.size < goal && !isOver()) await setTimeout(2);
    for (const { child, ended } of [first, second]) {
      child.kill("SIGKILL");
      await ended;
    }
  }
  return lastJson((await runSms(send, { env, boundMs: 120_000 })).stdout);
}

async function expectWholeMailing(env: Env): Promise<void> {
  const { url, counts } = await startCountingServer(1);
  const all = { SMS_BASE_URL: url, ...testKey, ...env };
  const { accepted, uncertain, pending, unsent, rejected, leftOut } = await mailInStorm(all, counts);

  expect({ pending, unsent, rejected, reached: accepted + uncertain }).toMatchObject({
    pending: 0,
    unsent: 0,
    rejected: 0,
    reached: 2_500,
  });
  expect(leftOut).toEqual({ invalid: 100, optedOut: 200, excluded: 100, duplicate: 100 });
  const wanted = new Set(numbersOf("sent"));
  expect([...counts].filter(([to, count]) => count !== 1 || !wanted.has(to))).toEqual([]);
  expect(wanted.size - counts.size).toBeLessThanOrEqual(uncertain);
  const exported = (await runSms(["runs", "export", "mail", "--json"], { env: all })).stdout.trim().split("\n");
  const lines = exported.map((line) => JSON.parse(line) as { readonly line: number; readonly outcome: string });
  expect(new Set(lines.map(({ line }) => line)).size).toBe(size);
  expect(lines.filter(({ outcome }) => outcome === "left-out")).toHaveLength(500);
}

it(
  "a mailing of 3,000 that leaves 500 out, killed and begun twice, texts each of the others once",
  { ...needs("CI to be set"), timeout: 300_000 },
  () => expectWholeMailing({ SMS_STATE_DIR: join(temporaryFolder(), "state") }),
);

describe("with a record that a team shares", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();

  it("a mailing that is killed and begun twice does so, too", { timeout: 300_000 }, () =>
    expectWholeMailing({ SMS_RECORD: postgres.newRecord() }),
  );
});
