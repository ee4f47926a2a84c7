import { rounded } from "../message/outcome.ts";
import type { Entry, HistoryKeeper, OnShare, Unread } from "./history.ts";

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** How long a request may be in flight, so that its outcome is open rather than uncertain. Milliseconds. */
const inFlight = 10 * 60_000;

export async function readMetrics(
  history: Pick<HistoryKeeper, "each">,
  now: number,
  onShare: OnShare,
): Promise<{ readonly metrics: readonly Metric[]; readonly unread: Unread }> {
  const messages: Samples = new Map();
  const credits: Samples = new Map();
  const kes: Samples = new Map();
  const acceptance: Samples = new Map();
  const balances = new Map<string, { readonly at: string; readonly credits: number }>();
  const count = (entry: Entry) => {
    if (mayChange(entry, now)) return;
    const { at, account, mode, outcome, segments, totalCredits, totalCostKes, newBalance } = entry;
    const labels = { key: entry.key ?? "", mode };
    change(messages, { outcome, ...labels }, (sum) => sum + 1);
    if (outcome !== "accepted") return;
    change(acceptance, labels, (last) => Math.max(last, Date.parse(at) / 1000));
    // A test is not charged.
    if (mode === "test") return;
    change(credits, labels, (sum) => sum + (totalCredits ?? segments));
    change(kes, labels, (sum) => sum + (totalCostKes ?? 0));
    const known = account === null ? undefined : balances.get(account);
    if (account !== null && newBalance !== undefined && (known?.at ?? "") <= at) {
      balances.set(account, { at, credits: newBalance });
    }
  };
  const unread = await history.each(0, count, onShare);
  const { prunedBefore } = unread;
  const balance = [...balances].map(([account, { credits: value }]) => ({ labels: { account }, value }));
  const pruned = "They go down only when the history is pruned or lost.";
  const metrics: Metric[] = [
    {
      name: "sms_messages_total",
      type: "counter",
      help: `Messages that were tried, by outcome; of a run none that is unsent, because it may still be sent. ${pruned}`,
      samples: inOrder(messages),
    },
    {
      name: "sms_credits_total",
      type: "counter",
      help: `Credits that accepted messages were charged. ${pruned}`,
      samples: inOrder(credits),
    },
    {
      name: "sms_cost_kes_total",
      type: "counter",
      help: `KES that accepted messages cost. ${pruned}`,
      samples: inOrder(kes),
    },
    {
      name: "sms_balance_credits",
      type: "gauge",
      help: "Credits left in an account by its latest receipt.",
      samples: balance,
    },
    {
      name: "sms_last_acceptance_timestamp_seconds",
      type: "gauge",
      help: "When a message was last accepted, in seconds since 1970.",
      samples: inOrder(acceptance),
    },
    {
      name: "sms_history_start_timestamp_seconds",
      type: "gauge",
      help: "Since when messages are counted, in seconds since 1970: what is older was pruned. Absent if nothing was.",
      samples: prunedBefore === undefined ? [] : [{ labels: {}, value: prunedBefore / 1000 }],
    },
  ];
  return { metrics, unread };
}

/** Whether what is said of a try may still change: a counter never goes down. */
function mayChange({ kind, intent, outcome, errorCode, at }: Entry, now: number): boolean {
  if (kind !== "run" && intent === undefined) return false;
  return outcome === "unsent" || (errorCode === "NO_ANSWER" && Math.abs(now - Date.parse(at)) < inFlight);
}

/** By their labels as JSON. */
type Samples = Map<string, Sample>;

function change(samples: Samples, labels: Sample["labels"], to: (before: number) => number): void {
  const name = JSON.stringify(labels);
  samples.set(name, { labels, value: to(samples.get(name)?.value ?? 0) });
}

function inOrder(samples: Samples): readonly Sample[] {
  const sorted = [...samples].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { labels, value }]) => ({ labels, value: rounded(value) }));
}

/** Returns metrics in the text format of Prometheus, version 0.0.4. `shown` makes foreign text harmless. */
export function metricsText(metrics: readonly Metric[], shown: (text: string) => string): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => `${name}${labelsText(labels, shown)} ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

function labelsText(labels: Sample["labels"], shown: (text: string) => string): string {
  const escaped = (text: string) =>
    text
      .replaceAll("\\", String.raw`\\`)
      .replaceAll('"', String.raw`\"`)
      .replaceAll("\n", String.raw`\n`);
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(shown(value))}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}
