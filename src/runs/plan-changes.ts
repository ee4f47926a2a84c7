import { differences } from "../core/fields.ts";
import { lineText } from "../core/line.ts";
import { type DraftMessage, readPlan } from "./plan.ts";

/** What the rows of a command have in common with the plan of a run, and what not. */
export interface PlanChanges {
  readonly added: number;
  readonly removed: number;
  /** How many recipients have another value of a field, by its noun. */
  readonly changed: ReadonlyMap<string, number>;
  /** Whether the rows are the same in another order. */
  readonly isReordered: boolean;
  /** The first of the changes in words, a line each; none for another order. */
  readonly first: readonly string[];
}

/** Rows of each side that are looked through for a row that the other side has next. */
const window = 200;

const mostNamed = 10;

/**
 * Compares rows with a plan, both in order and in bounded memory. Returns undefined if all fields of all messages are the
 * same: which lines they are on does not count, nor rows that are held back and were not planned either. Without a file the
 * rows are numbers of --to.
 */
export async function comparePlan(
  planPath: string,
  drafts: AsyncIterable<DraftMessage>,
  hasFile: boolean,
): Promise<PlanChanges | undefined> {
  const plan = readPlan(planPath);
  const was = lookAhead(plan);
  const is = lookAhead(drafts);
  const counts = { added: 0, removed: 0 };
  const changed = new Map<string, number>();
  const first: string[] = [];
  let imbalance = 0;
  const note = (sentence: string) => {
    if (first.length < mostNamed) first.push(sentence);
  };
  const remove = ({ line, to }: DraftMessage) => {
    imbalance -= Number(to) % 1_000_003;
    counts.removed++;
    note(`${to}, which was ${lineText(line, hasFile)}, is missing now`);
  };
  const add = ({ line, to, held }: DraftMessage) => {
    if (held !== undefined) return;
    imbalance += Number(to) % 1_000_003;
    counts.added++;
    note(`${lineText(line, hasFile)}: ${to} is new`);
  };
  try {
    for (;;) {
      const [before] = await was.peek(1);
      const [now] = await is.peek(1);
      if (before === undefined && now === undefined) break;
      if (before !== undefined && before.to === now?.to) {
        for (const { noun, words } of differences(before, now)) {
          changed.set(noun, (changed.get(noun) ?? 0) + 1);
          const how = words === undefined ? "different" : `${words.is}, and was ${words.was}`;
          note(`${lineText(now.line, hasFile)}: the ${noun} for ${now.to} is ${how}`);
        }
        was.take(1);
        is.take(1);
        continue;
      }
      const inPlan = now === undefined ? -1 : (await was.peek(window)).findIndex(({ to }) => to === now.to);
      if (now?.held !== undefined && inPlan < 0) {
        is.take(1);
        continue;
      }
      const inRows = before === undefined ? -1 : (await is.peek(window)).findIndex(({ to }) => to === before.to);
      const isRemoved = now === undefined || (inPlan >= 0 && (inRows < 0 || inPlan <= inRows));
      if (isRemoved) was.take(Math.max(1, inPlan)).forEach(remove);
      else is.take(Math.max(1, inRows)).forEach(add);
      // A row in place of another.
      if (inPlan < 0 && inRows < 0 && now !== undefined) was.take(1).forEach(remove);
    }
  } finally {
    await plan.return();
  }
  const isReordered = counts.added > 0 && counts.added === counts.removed && imbalance === 0;
  return first.length === 0 ? undefined : { ...counts, changed, isReordered, first: isReordered ? [] : first };
}

function lookAhead<Item>(items: AsyncIterable<Item>) {
  const source = items[Symbol.asyncIterator]();
  const ahead: Item[] = [];
  return {
    peek: async (count: number): Promise<readonly Item[]> => {
      while (ahead.length < count) {
        const { done, value } = await source.next();
        if (done === true) break;
        ahead.push(value);
      }
      return ahead;
    },
    take: (count: number) => ahead.splice(0, count),
  };
}
