import { decodeEntry, type JournalEntry } from "../../../src/record/journal-entry.ts";
import { journalWriter } from "../../../src/record/folder/journal.ts";
import type { RunEntry, RunWriter } from "../../../src/record/runs.ts";
import { Ledger } from "../../../src/record/ledger.ts";

/** Ways to break the engine, each of which the exploration must find. */
export type Sabotage = "none" | "intent after request" | "flush not awaited" | "resume sends uncertain";

/** A disk that holds one journal and flushes it only when it is told to. */
export class Disk {
  written: string;
  /** How much of it a power cut leaves. Characters. */
  durable: number;
  flush: (() => void) | undefined;
  readonly writer: RunWriter;
  #appended: RunEntry[] = [];

  /** `onEffect` is called before and after each change of the disk, `onEntry` for each entry as the engine records it. */
  constructor(content: string, sabotage: Sabotage, onEffect: () => void, onEntry: (entry: JournalEntry) => void) {
    this.written = content;
    this.durable = content.length;
    const journal = journalWriter(
      { write: this.#write(onEffect), datasync: this.#datasync(onEffect), close: () => {} },
      "",
    );
    const add = (entry: RunEntry) => {
      this.#appended.push(entry);
      onEntry(entry);
    };
    const withheld: (() => unknown)[] = [];
    this.writer = {
      record: async (entry, at) => {
        add(entry);
        const record = () => journal.record(entry, at);
        if (entry.kind !== "intent") {
          for (const late of withheld.splice(0)) late();
          await record();
        } else if (sabotage === "intent after request") withheld.push(record);
        else if (sabotage === "flush not awaited") void record();
        else await record();
      },
      close: () => journal.close(),
    };
  }

  /** The entries of one message that a power cut would lose. */
  unsafeEntries(index: number): readonly string[] {
    const unsafe = [...entriesOf(this.written.slice(this.durable)), ...this.#appended];
    const own = unsafe.filter((entry) =>
      "index" in entry ? entry.index === index : "indexes" in entry && entry.indexes.includes(index),
    );
    return [String(unsafe.length - this.#appended.length > 0), ...own.map(({ kind }) => kind)];
  }

  #write(onEffect: () => void) {
    return (bytes: Uint8Array) => {
      onEffect();
      this.written += Buffer.from(bytes).toString();
      this.#appended = [];
      onEffect();
      return bytes.length;
    };
  }

  #datasync(onEffect: () => void) {
    return () =>
      new Promise<void>((resolve) => {
        const { length } = this.written;
        this.flush = () => {
          this.flush = undefined;
          this.durable = length;
          onEffect();
          resolve();
        };
      });
  }
}

/** The ledger after the whole lines of a journal. Throws at a line that the engine would refuse. */
export function ledgerOf(journal: string, messages: number): Ledger {
  const ledger = new Ledger(new Uint8Array(messages).fill(1));
  for (const entry of entriesOf(journal)) {
    if (!ledger.apply(entry)) throw new Error(`the journal contradicts itself: ${journal}`);
  }
  return ledger;
}

/** All that the engine's next step can depend on of a message's record: whether it is due, done or in doubt. */
export function roleIn(ledger: Ledger, index: number): string {
  const outcome = ledger.outcomeOf(index);
  const role = ledger.isDue(index) ? "due" : outcome === "accepted" ? "accepted" : "done";
  return `${role}${ledger.isOpen(index) ? " open" : ""}${ledger.outcomeBefore(index) === "uncertain" ? " in doubt" : ""}`;
}

const known = new Map<string, RunEntry>();

/** The entries in a text. The engine does not depend on the times among them. */
function entriesOf(journal: string): readonly RunEntry[] {
  const lines = journal
    .split("\n")
    .slice(0, -1)
    .filter((line) => !line.startsWith('["time"'));
  return lines.map((line) => {
    const entry = known.get(line) ?? decodeEntry(line);
    if (entry === undefined || entry.kind === "time") throw new Error(`not an entry: ${line}`);
    known.set(line, entry);
    return entry;
  });
}
