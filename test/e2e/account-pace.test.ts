import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { foldersIn } from "../support/folders.ts";
import { atEnd, cleanUp, exitCodes, type Held, hold, ownFolder, until } from "../support/held.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { testKey } from "../support/scripted-run.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";

afterAll(cleanUp);

/** Requests a minute, and how many the service takes in four seconds: one pace sends 40, two that do not share 80. */
const rate = 600;
const windowMs = 4_000;
const mostInWindow = 60;

/** Starts a service that refuses what exceeds its rate, and returns how many it refused. */
async function startLimited(): Promise<ScriptedServer & { readonly refused: () => number }> {
  const admitted: number[] = [];
  let refused = 0;
  const server = await startScriptedServer({
    onRequest: (socket, request, index) => {
      const recent = admitted.filter((at) => at > request.readAt - windowMs).length;
      if (recent >= mostInWindow) refused++;
      else admitted.push(request.readAt);
      const script = recent >= mostInWindow ? answer(429, undefined, { "retry-after": "1" }) : accept();
      script(socket, request, index);
    },
  });
  atEnd(server.close);
  return { ...server, refused: () => refused };
}

/** Starts a run to numbers that begin with `+2547` and this digit. `record` is the URL of a database, if one keeps the record. */
function startRun(
  digit: number,
  rows: number,
  server: ScriptedServer,
  folder: string,
  state = folder,
  record?: string,
): Held {
  const path = join(folder, `${digit}.txt`);
  const numbers = Array.from({ length: rows }, (_, index) => `+2547${digit}${String(index).padStart(7, "0")}`);
  writeFileSync(path, numbers.join("\n"));
  const args = ["send", "--recipients", path, "--message", "Hi", "--rate", String(rate), "--yes", "--quiet"];
  return hold(args, { env: environment(server, folder, state, record) });
}

function environment(server: ScriptedServer, folder: string, state: string, record?: string) {
  return {
    HOME: folder,
    ...foldersIn(folder),
    SMS_STATE_DIR: join(state, "state"),
    SMS_BASE_URL: server.url,
    ...testKey,
    ...(record !== undefined && { SMS_RECORD: record }),
  };
}

async function ended({ child }: Held): Promise<number | null> {
  await until(() => child.exitCode !== null);
  return child.exitCode;
}

/** When the requests to numbers with this digit came, in milliseconds since 1970. */
function arrivals({ requests }: ScriptedServer, digit: number): readonly number[] {
  return requests.filter(({ body }) => body.includes(`+2547${digit}`)).map(({ readAt }) => readAt);
}

/** Lets two long runs send at once, with state in one folder each, and a single message meanwhile. */
async function expectOnePace(folder: string, other: string, record?: string): Promise<void> {
  const server = await startLimited();
  const runs = [startRun(1, 300, server, folder, folder, record), startRun(2, 300, server, folder, other, record)];
  await until(() => arrivals(server, 1).length > 5 && arrivals(server, 2).length > 5);
  const one = hold(["send", "--to", "+254790000000", "--message", "Hi"], {
    env: environment(server, folder, other, record),
  });
  // The rows of both last for a minute.
  expect(await ended(one)).toBe(0);
  // As many as two runs that do not share send in less than four seconds.
  await until(() => server.requests.length > mostInWindow + 10);
  expect([arrivals(server, 9).length, server.refused()]).toEqual([1, 0]);
  for (const { child } of runs) child.kill("SIGINT");
  expect(await Promise.all(runs.map(ended))).toEqual([exitCodes.SIGINT, exitCodes.SIGINT]);
}

describe("the pace of an account", () => {
  it.concurrent("is one for two runs at once, and a single message goes before their rows", async () => {
    const { folder } = ownFolder();
    await expectOnePace(folder, folder);
  });

  it.concurrent("is none between runs that do not know of each other, which the service refuses", async () => {
    const [{ folder }, { folder: other }] = [ownFolder(), ownFolder()];
    const server = await startLimited();
    startRun(1, 300, server, folder);
    startRun(2, 300, server, folder, other);
    await until(() => server.refused() > 0);
    expect(server.requests.length).toBeGreaterThan(mostInWindow);
  });

  it.concurrent.each(["SIGKILL", "SIGSTOP"] as const)("waits for nobody after %s", async (signal) => {
    const { folder } = ownFolder();
    const server = await startLimited();
    const gone = startRun(1, 300, server, folder);
    const left = startRun(2, 40, server, folder);
    await until(() => arrivals(server, 1).length > 5 && arrivals(server, 2).length > 5);
    gone.child.kill(signal);
    const at = Date.now();
    expect(await ended(left)).toBe(0);
    const times = arrivals(server, 2).filter((time) => time > at);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? at));
    // What is gone counts as a run at work for ten seconds.
    expect(Math.max(...gaps)).toBeLessThan(8_000);
  });
});

describe("the pace of a team", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();

  it("is one for two machines with one record, and a single message of a third goes before their rows", async () => {
    const [{ folder }, { folder: other }] = [ownFolder(), ownFolder()];
    await expectOnePace(folder, other, postgres.newRecord());
  });
});
