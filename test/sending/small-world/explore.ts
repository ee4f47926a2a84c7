import { isAllAccepted } from "../../../src/record/ledger.ts";
import type { Fate } from "./service.ts";
import { ledgerOf, roleIn, type Sabotage } from "./disk.ts";
import { type Scope, type Snapshot, type Start, World } from "./world.ts";

export interface Explored {
  readonly states: number;
  /** Distinct states that a kill, a power cut or an end leaves for a resume. */
  readonly starts: number;
}

/**
 * Walks through every order of events of a run, through a kill or power cut at each effect, and through every resume of what
 * they leave, until nothing new comes. Throws at the first state that breaks a promise, with the events that led to it.
 */
export async function explore(scope: Scope, sabotage: Sabotage = "none"): Promise<Explored> {
  const first = beginning(scope);
  const starts = new Map([[keyOf(first, scope), first]]);
  const seen = new Set<string>();
  for (const [key, start] of starts) {
    const checked = new Set<string>();
    const check = (snapshot: Snapshot) => {
      const moment = JSON.stringify(snapshot);
      if (checked.has(moment)) return;
      checked.add(moment);
      for (const left of leftBy(snapshot, start)) {
        requireTruth(left, start, scope);
        const leftKey = keyOf(left, scope);
        if (!starts.has(leftKey)) starts.set(leftKey, left);
      }
    };
    const isNew = (world: World) => seen.size < seen.add(key + world.fingerprint()).size;
    const paths: (readonly number[])[] = [[]];
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const walk = await walkAlong(path, new World(scope, start, sabotage), check);
      // One way on is taken in this world, the others each in a new one.
      for (let last = path; isNew(walk.world); last = [...last, 0]) {
        if (walk.world.ended !== undefined) {
          requireEnd(walk.world);
          break;
        }
        const count = walk.world.events().length;
        if (count === 0) throw new Error("nothing can happen, and the run has not ended");
        for (let choice = 1; choice < count; choice++) paths.push([...last, choice]);
        await walk.step(0);
      }
    }
  }
  return { states: seen.size, starts: starts.size };
}

function beginning({ messages }: Scope): Start {
  return { journal: "", fates: Array.from({ length: messages }, (): Fate => "not delivered") };
}

/**
 * Lets chance choose the events of one run after another, which it kills as well, in a world that is too large for `explore`.
 * Returns what they leave. `draw` returns a whole number below its argument. Throws as `explore`.
 */
export async function wander(scope: Scope, draw: (below: number) => number): Promise<Start> {
  let start = beginning(scope);
  for (let runs = 1 + draw(6); runs > 0; runs--) {
    let steps = draw(100);
    const left = await runThrough(scope, start, (events) => {
      if (steps-- === 0) return undefined;
      const wanted = [isUsual, isCalm, isCalm, () => true][draw(4)] ?? isUsual;
      const some = events.filter(([name]) => wanted(name));
      return some[draw(some.length)] ?? events[draw(events.length)];
    });
    start = left[draw(left.length)] ?? start;
  }
  return start;
}

/** Lets a run end undisturbed, with each message accepted. Returns what it leaves. */
export async function finish(scope: Scope, start: Start): Promise<Start> {
  const [whole = start] = await runThrough(scope, start, (events) => events.find(([name]) => isCalm(name)));
  return whole;
}

const isCalm = (name: string) => name === "flush" || name === "timer" || name.endsWith(": accepted");
const isUsual = (name: string) => !/^(stop|leave|deadline|closing time|. opts out or in)$/.test(name);

type Events = ReturnType<World["events"]>;

/** Runs the engine until its end, or until no event is chosen, which is a kill. Returns what may be left then. */
async function runThrough(scope: Scope, start: Start, choose: (events: Events) => Events[number] | undefined) {
  const world = new World(scope, start, "none");
  let left: readonly Start[] = [start];
  world.onSnapshot = (snapshot) => {
    left = leftBy(snapshot, start);
    for (const one of left) requireTruth(one, start, scope);
  };
  for (;;) {
    await world.settle();
    if (world.fault !== undefined) throw world.fault;
    const event = world.ended === undefined ? choose(world.events()) : undefined;
    if (event === undefined) break;
    event[1]();
  }
  if (world.ended !== undefined) requireEnd(world);
  return left;
}

/** Runs the engine through these choices. Only what the last one and later steps do is new, and is checked. */
async function walkAlong(path: readonly number[], world: World, check: (snapshot: Snapshot) => void) {
  const story: string[] = [];
  const step = async (choice: number): Promise<void> => {
    const [name, happen] = world.events()[choice] ?? ["nothing", () => {}];
    story.push(name);
    happen();
    await settle();
  };
  const settle = async (): Promise<void> => {
    await world.settle();
    if (world.fault === undefined) return;
    throw new Error(`${world.fault.message}, after: ${story.join(", ")}`, { cause: world.fault });
  };
  if (path.length === 0) world.onSnapshot = check;
  await settle();
  for (const [index, choice] of path.entries()) {
    if (index === path.length - 1) world.onSnapshot = check;
    await step(choice);
  }
  return { world, step };
}

/** What may be left of a moment: all that was written (kill -9), what was flushed (power cut), or a torn last line. */
function leftBy({ journal: written, durable, fates }: Snapshot, start: Start): readonly Start[] {
  const lengths = new Set([written.length, durable, Math.max(durable, written.length - 3)]);
  return [...lengths].map((length) => {
    const journal = written.slice(0, Math.max(length, start.journal.length));
    // A torn last line is cut off before anything is appended.
    return { journal: journal.slice(0, journal.lastIndexOf("\n") + 1), fates };
  });
}

/** Two starts are alike if as many messages have the same role and the same truth: a resume goes by nothing else. */
function keyOf({ journal, fates }: Start, scope: Scope): string {
  const ledger = ledgerOf(journal, scope.messages);
  const messages = fates.map((fate, index) => `${roleIn(ledger, index)} ${fate}`);
  return messages.sort().join(", ");
}

/** What the journal says is true of each message, and bounds what was charged. */
function requireTruth({ journal, fates }: Start, before: Start, { messages, lanes }: Scope): void {
  const ledger = ledgerOf(journal, messages);
  const earlier = ledgerOf(before.journal, messages);
  let doubts = 0;
  let mayBeCharged = 0;
  for (const [index, fate] of fates.entries()) {
    const outcome = ledger.outcomeOf(index);
    if (fate !== "not delivered") mayBeCharged++;
    if (outcome === "accepted" && fate !== "delivered") throw new Error(`message ${index} is not accepted`);
    const isDenied = outcome === "rejected" || outcome === "unsent" || outcome === "pending";
    if (isDenied && fate !== "not delivered") throw new Error(`message ${index} may be on a phone, and is ${outcome}`);
    if (ledger.isOpen(index) && !earlier.isOpen(index)) doubts++;
  }
  if (doubts > lanes) throw new Error(`${doubts} are uncertain, and only ${lanes} can be in flight`);
  if (ledger.exposure < mayBeCharged) throw new Error(`the exposure is under the truth`);
}

/** At its end a run has told of every message what the journal says, and has left none out. */
function requireEnd({ ended, settled, ledger, scope }: World): void {
  for (let index = 0; index < scope.messages; index++) {
    const [word, outcome] = [settled[index], ledger.outcomeOf(index)];
    if (word !== undefined && word !== outcome) throw new Error(`message ${index} is ${outcome}, not ${word}`);
    const isLost = ended === "incomplete" && outcome === "pending" && !ledger.isLeftOut(index);
    if (isLost) throw new Error(`message ${index} is lost`);
  }
  const isWhole = isAllAccepted(ledger.tally());
  if ((ended === "accepted" && !isWhole) || (ended === "incomplete" && isWhole))
    throw new Error(`the run ended as ${ended}`);
}
