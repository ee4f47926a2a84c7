import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { metricsText, readMetrics } from "../../src/record/metrics.ts";
import type { Entry, HistoryKeeper } from "../../src/record/history.ts";
import { to, withHistory } from "./with-history.ts";

const { run, send, sendRun, path } = withHistory();
const scrape = ["spend", "--format", "prometheus"];

/** Reads the text format of Prometheus strictly, and returns the value of each sample by its name and labels. */
function samplesIn(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  let current = "";
  let helped = "";
  const require = (isRight: boolean, line: string) => {
    if (!isRight) throw new Error(`not the text format of Prometheus: ${line}`);
  };
  require(text.endsWith("\n"), "its end");
  for (const line of text.slice(0, -1).split("\n")) {
    const [, helpOf] = /^# HELP ([a-z][a-z0-9_]*) (?:[^\\\n]|\\[\\n])+$/.exec(line) ?? [];
    const [, typeOf, type = ""] = /^# TYPE ([a-z][a-z0-9_]*) (counter|gauge)$/.exec(line) ?? [];
    if (helpOf !== undefined) {
      // Each metric stands in one place.
      require(!types.has(helpOf), line);
      helped = helpOf;
    } else if (typeOf !== undefined) {
      require(typeOf === helped && typeOf.endsWith("_total") === (type === "counter"), line);
      types.set(typeOf, type);
      current = typeOf;
    } else {
      const label = String.raw`[a-z_]+="(?:[^"\\\n]|\\["\\n])*"`;
      const sample = new RegExp(String.raw`^([a-z0-9_]+)(\{${label}(?:,${label})*\})? (\d+(?:\.\d+)?)$`).exec(line);
      const name = `${current}${sample?.[2] ?? ""}`;
      require(sample?.[1] === current && !samples.has(name), line);
      samples.set(name, Number(sample?.[3]));
    }
  }
  return samples;
}

describe("sms spend --format prometheus", () => {
  it("counts messages, credits and KES, never down, and says when the history was pruned", async () => {
    const read = async () => samplesIn((await run(scrape)).stdout);
    expect(await read()).toEqual(new Map());
    await send(["--to", to, "-m", "a".repeat(200)]);
    await send(["--to", to], { environment: { SMS_API_KEY: "sk_test_sandbox" } });
    await send(["--to", "+254712000400"]);
    writeFileSync(path("rows.txt"), [to, "+254712000503", "+254712000400"].join("\n"));
    const before = await read();
    const key = `key="SMS_API_KEY"`;
    expect(Object.fromEntries(before)).toMatchObject({
      [`sms_messages_total{outcome="accepted",${key},mode="live"}`]: 1,
      [`sms_messages_total{outcome="accepted",${key},mode="test"}`]: 1,
      [`sms_messages_total{outcome="rejected",${key},mode="live"}`]: 1,
      [`sms_credits_total{${key},mode="live"}`]: 2,
      [`sms_cost_kes_total{${key},mode="live"}`]: 1.6,
    });
    await sendRun("rows", ["-r", path("rows.txt")]);
    const after = await read();
    const counters = [...before].filter(([name]) => name.includes("_total"));
    expect(counters.filter(([name, value]) => (after.get(name) ?? 0) < value)).toEqual([]);
    expect(after.get(`sms_messages_total{outcome="uncertain",${key},mode="live"}`)).toBe(1);
    expect([...after].filter(([name]) => name.startsWith("sms_balance_credits")).map(([, value]) => value)).toEqual([
      997,
    ]);
    const accepted = after.get(`sms_last_acceptance_timestamp_seconds{${key},mode="live"}`) ?? 0;
    expect(Math.abs(accepted - Date.now() / 1000)).toBeLessThan(60);
    await run(["history", "--prune", "0d"], { now: Date.now() + 1000 });
    expect([...(await read()).keys()]).toEqual(["sms_history_start_timestamp_seconds"]);
  });

  it("replaces a file whole, which others may read", async () => {
    await send(["--to", to]);
    const file = path("sms.prom");
    writeFileSync(file, "a".repeat(100_000), { mode: 0o600 });
    expect(await run([...scrape, "--output", file])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(samplesIn(readFileSync(file, "utf8")).size).toBe(5);
    expect(statSync(file).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o644);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("sms.prom"))).toEqual(["sms.prom"]);
    expect((await run([...scrape, "--output", path("none", "sms.prom")])).code).not.toBe(0);
    // As root, a device would be replaced.
    expect((await run([...scrape, "--output", dirname(file)])).stderr).toContain("is not a file");
  });

  it.each([
    [[...scrape, "--json"]],
    [[...scrape, "--csv"]],
    [[...scrape, "--by", "day"]],
    [[...scrape, "--month", "2026-11"]],
    [["spend", "--output", "sms.prom"]],
    [["spend", "--format", "csv", "--json"]],
    [["spend", "--format", "xml"]],
  ])("refuses %j", async (args) => {
    expect((await run(args)).code).toBe(2);
  });

  it("takes --csv for --format csv", async () => {
    await send(["--to", to]);
    const { stdout } = await run(["spend", "--csv"]);
    expect(stdout).toContain("key,messages");
    expect((await run(["spend", "--format", "csv"])).stdout).toBe(stdout);
  });

  it("escapes labels, and leaves out what a run or a watch may still change", async () => {
    const at = new Date(0).toISOString();
    const entry: Entry = {
      at,
      took: 1,
      kind: "run",
      run: "r",
      account: "a1",
      key: 'a"b\\c\nd',
      mode: "live",
      to,
      sender: null,
      outcome: "uncertain",
      segments: 1,
      errorCode: "NO_ANSWER",
    };
    const history: Pick<HistoryKeeper, "each"> = {
      each: async (_, onEntry) => {
        onEntry(entry);
        onEntry({ ...entry, kind: "watch", run: null, intent: "i" });
        onEntry({ ...entry, outcome: "unsent", errorCode: "UNREACHABLE" });
        return { broken: 0, runs: [] };
      },
    };
    const textAt = async (now: number) =>
      metricsText((await readMetrics(history, now, () => {})).metrics, (text) => text);
    expect(samplesIn(await textAt(60_000))).toEqual(new Map());
    const [name, value] = [...samplesIn(await textAt(3_600_000))][0] ?? [];
    expect([name, value]).toEqual([
      String.raw`sms_messages_total{outcome="uncertain",key="a\"b\\c\nd",mode="live"}`,
      2,
    ]);
  });
});
