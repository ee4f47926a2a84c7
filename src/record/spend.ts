import { rounded } from "../message/outcome.ts";
import type { OnShare } from "./folder/line-file.ts";
import type { StateFolder } from "../files/state-folder.ts";
import type { UnreadableRun } from "./runs.ts";
import { Charges, findGaps, type Gap, type Unseen } from "./balance-gaps.ts";
import type { Division } from "./division.ts";
import type { Entry } from "./entry.ts";
import { decodeEntry } from "./entry-reader.ts";
import { readHistoryLines } from "./history-lines.ts";
import { findHistory } from "./history-sources.ts";
import { readRuns } from "./run-entries.ts";

/** The time that a spend covers, in milliseconds since 1970: `from` included, `to` excluded. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Messages that were accepted and charged, and what is uncertain. */
export interface Sum {
  messages: number;
  segments: number;
  /** By the receipts, else by our own count. */
  credits: number;
  kes: number;
  readonly uncertain: { messages: number; credits: number };
}

/** What the messages of a period cost, as far as this machine knows. */
export interface Spend extends Sum {
  readonly period: Period;
  /** Accepted with a test key, which is not charged. */
  readonly testMessages: number;
  /** Found in this period, in the order of time. */
  readonly gaps: readonly Gap[];
  /** By name: days in their order, others from the highest. */
  readonly by: readonly (Sum & { readonly name: string })[];
  readonly broken: number;
  readonly unreadable: readonly UnreadableRun[];
}

/** The charges of an account, for its gaps. */
interface AccountCharges {
  readonly charges: Charges;
  readonly unseen: Unseen[];
}

/** Sums the history of a period. Reads what came before it, too, because a gap may begin there. */
export async function readSpend(
  state: StateFolder,
  period: Period,
  division: Division,
  onShare: OnShare,
): Promise<Spend> {
  const found = findHistory(state, 0, onShare);
  const total = newSum();
  const groups = new Map<string, Sum>();
  const accounts = newAccounts();
  let testMessages = 0;
  let broken = 0;
  const add = (entry: Entry) => {
    const at = Date.parse(entry.at);
    if (at < found.since) return;
    if (entry.mode !== "test") addCharge(accounts, entry, at);
    if (at < period.from || at >= period.to) return;
    if (entry.mode === "test") testMessages += entry.outcome === "accepted" ? 1 : 0;
    else if (entry.outcome === "accepted" || entry.outcome === "uncertain") {
      const name = nameIn(division, entry);
      const group = groups.get(name) ?? newSum();
      groups.set(name, group);
      for (const sum of [total, group]) addTo(sum, entry);
    }
  };
  for (const path of found.files) {
    await readHistoryLines(path, found.onRead, ({ text }) => {
      const entry = decodeEntry(text);
      if (entry === undefined) broken++;
      else add(entry);
    });
  }
  const unreadable = await readRuns(found, add);
  const gaps = [...accounts.all()]
    .flatMap(({ charges, unseen }) => findGaps(charges, [...unseen, ...accounts.unknown]))
    .filter(({ before }) => before >= period.from && before < period.to)
    .toSorted((a, b) => a.before - b.before);
  const by = [...groups].map(([name, sum]) => ({ name, ...withoutNoise(sum) }));
  by.sort((a, b) => (division === "day" ? 0 : b.credits - a.credits) || (a.name < b.name ? -1 : 1));
  return { ...withoutNoise(total), period, testMessages, gaps, by, broken, unreadable };
}

function newSum(): Sum {
  return { messages: 0, segments: 0, credits: 0, kes: 0, uncertain: { messages: 0, credits: 0 } };
}

function addTo(sum: Sum, { outcome, segments, totalCredits, totalCostKes }: Entry): void {
  if (outcome === "uncertain") {
    sum.uncertain.messages++;
    sum.uncertain.credits += segments;
    return;
  }
  sum.messages++;
  sum.segments += segments;
  sum.credits += totalCredits ?? segments;
  sum.kes += totalCostKes ?? 0;
}

function withoutNoise(sum: Sum): Sum {
  return { ...sum, credits: rounded(sum.credits), kes: rounded(sum.kes) };
}

function nameIn(division: Division, { at, key, run, sender }: Entry): string {
  switch (division) {
    case "day":
      return at.slice(0, 10);
    case "key":
      return key ?? "key not recorded";
    case "run":
      return run ?? "single messages";
    case "sender":
      return sender ?? "default sender";
  }
}

/** Keeps what the balances may show. A charge without its time or account may explain a gap of any account. */
function addCharge(accounts: Accounts, entry: Entry, at: number): void {
  const { took, account, outcome, segments, totalCredits, newBalance } = entry;
  if (outcome !== "accepted" && outcome !== "uncertain") return;
  const known = account === null || took === null ? undefined : accounts.of(account);
  const begun = at - (took ?? 0);
  if (known !== undefined && outcome === "accepted" && totalCredits !== undefined && newBalance !== undefined) {
    known.charges.add({ begun, at, credits: totalCredits, balance: newBalance });
  } else {
    const unseen = { begun, at, credits: totalCredits ?? segments, isCertain: outcome === "accepted" };
    (known?.unseen ?? accounts.unknown).push(unseen);
  }
}

/** The charges of all accounts, and those of which the account is not known. */
interface Accounts {
  readonly of: (account: string) => AccountCharges;
  readonly all: () => Iterable<AccountCharges>;
  readonly unknown: Unseen[];
}

function newAccounts(): Accounts {
  const accounts = new Map<string, AccountCharges>();
  return {
    of: (account) => {
      const known = accounts.get(account) ?? { charges: new Charges(), unseen: [] };
      accounts.set(account, known);
      return known;
    },
    all: () => accounts.values(),
    unknown: [],
  };
}
