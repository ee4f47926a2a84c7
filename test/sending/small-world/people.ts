import { createReadStream, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SmsError } from "../../../src/errors.ts";
import { folderRuns } from "../../../src/record/folder/runs-folder.ts";
import { runFiles } from "../../../src/record/folder/run-files.ts";
import { requireRun } from "../../../src/record/run-with-ledger.ts";
import type { RunWriter } from "../../../src/record/runs.ts";
import { connect, type LocalSend, openSend, type Send } from "../../../src/sending/opening.ts";
import { beginRun, type BegunRun } from "../../../src/sending/run/begin.ts";
import { type Plan, planRun } from "../../../src/sending/run/plan.ts";
import { checkResume, type RunToResume } from "../../../src/sending/run/resume.ts";
import { readToSend } from "../../../src/sending/run/to-send.ts";
import { type DecidedRepeats, isAsked, leavesOut, repeatedIn } from "../../../src/sending/run/repeated.ts";
import { checkRows, type Rows } from "../../../src/sending/run/rows.ts";
import type { Context } from "../../../src/terminal/context.ts";
import { createRedactor } from "../../../src/terminal/redact.ts";
import { machine, ours } from "../../files/this-process.ts";
import { foldersIn, temporaryFolder } from "../../support/folders.ts";
import { receipt } from "../../record/entries.ts";

const hourMs = 3_600_000;
const windowMs = 12 * hourMs;

/** Three people who get one text from several runs of one machine. */
const people = [1, 2, 3].map((digit) => `+25471234567${digit}`);

type Draw = (below: number) => number;

type Decision = "send" | "skip" | undefined;

/** A text that reached a phone, or may have. */
interface Delivery {
  readonly to: string;
  readonly at: number;
  readonly by: string;
  /** Somebody wanted the text to go, even to those who had it. */
  readonly isWanted: boolean;
}

interface Command {
  readonly send: Send;
  readonly plan: Plan;
  readonly repeats: DecidedRepeats;
  readonly isWanted: boolean;
  run?: BegunRun;
  writer?: RunWriter;
  begunAt: number;
}

export type Sabotage = "none" | "rule off" | "not asked again" | "left out by mistake";

/** Plays commands, kills and clocks on the real record until it is over. Throws if somebody gets the text twice, or none and is not told. */
export class People {
  readonly #draw: Draw;
  readonly #sabotage: Sabotage;
  readonly #folder = temporaryFolder();
  readonly #runs = folderRuns(ours(join(this.#folder, "state")), machine);
  readonly #commands: Command[] = [];
  readonly #deliveries: Delivery[] = [];
  /** Who was in a run that began, and is not told of otherwise. */
  readonly #begun = new Map<string, number>();
  #ahead = 0;
  #named = 0;

  constructor(draw: Draw, sabotage: Sabotage) {
    this.#draw = draw;
    this.#sabotage = sabotage;
  }

  async play(steps: number): Promise<number> {
    try {
      for (let step = 0; step < steps; step++) await this.#step();
      for (let [command] = this.#commands; command !== undefined; [command] = this.#commands) await this.#kill(command);
      await this.#finish();
      await this.#requireTold();
      return this.#deliveries.length;
    } finally {
      for (const { plan } of this.#commands) await plan[Symbol.asyncDispose]();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  async #step(): Promise<void> {
    const kind = this.#draw(10);
    const command = this.#commands[this.#draw(Math.max(1, this.#commands.length))];
    if (kind === 0) this.#ahead += (this.#draw(2) === 0 ? 1 : 13) * hourMs;
    else if (kind <= 2 && this.#commands.length < 3) await this.#give();
    else if (kind === 3 && this.#begun.size > 0 && this.#commands.length < 3)
      await this.#resume(this.#drawn([...this.#begun.keys()]));
    else if (command !== undefined && kind === 4) await this.#kill(command);
    else if (command !== undefined) await this.#goOn(command);
  }

  async #give(): Promise<void> {
    const rows = people.filter(() => this.#draw(3) > 0);
    const name =
      this.#begun.size > 0 && this.#draw(4) === 0 ? this.#drawn([...this.#begun.keys()]) : `r${++this.#named}`;
    const decision = ([undefined, "skip", "skip", "send"] as const)[this.#draw(4)];
    if (rows.length === 0) return;
    const list = join(this.#folder, "list.txt");
    writeFileSync(list, rows.join("\n"));
    const local = await this.#localOf(decision, { recipients: list, run: name, message: "Hi" });
    await this.#plan(local, () => checkRows(local), decision);
  }

  async #resume(name: string): Promise<void> {
    const local = await this.#localOf(undefined, {});
    await this.#plan(local, () => checkResume(name, local), undefined);
  }

  async #plan(local: LocalSend, check: () => Promise<Rows | RunToResume>, decision: Decision): Promise<void> {
    const checked = await told(check());
    const send = await connect(local);
    if (send.kind === "dry-run") throw new Error("nothing is to be sent");
    const planned = checked && (await told(planRun(checked, send)));
    if (planned === undefined) return;
    const repeats = await repeatedIn(planned, send);
    const isAgreed = !isAsked(repeats) || this.#draw(2) === 0;
    if (!isAgreed) return planned[Symbol.asyncDispose]();
    const isWanted = decision === "send" || repeats.kind === "asked-all";
    const decided = { ...repeats, kind: leavesOut(repeats) ? "left-out" : "sent" } as const;
    this.#commands.push({ send, plan: planned, repeats: decided, isWanted, begunAt: 0 });
  }

  /** Begins a command, or sends one message of it, or ends it. */
  async #goOn(command: Command): Promise<void> {
    const { plan, repeats, send } = command;
    if (command.run === undefined) {
      const asked = this.#sabotage === "not asked again" ? { ...plan, messageSet: undefined } : plan;
      const run = await told(beginRun(asked, repeats, send));
      if (run === undefined || run.kind === "nobody") return this.#kill(command);
      this.#touch(plan.ownRun.name);
      command.run = run;
      command.begunAt = this.#now();
      command.writer = await plan.ownRun.openWriter();
      if (this.#sabotage === "left out by mistake" && run.ledger.isDue(0))
        await this.#record(command, { kind: "left-out", reason: "repeated", indexes: [0] });
      if (!this.#begun.has(run.header.name)) this.#begun.set(run.header.name, Date.parse(run.header.started));
      return;
    }
    const message = (await readToSend(command.run, send).next()).value;
    if (message === undefined) return this.#kill(command);
    const { index, to } = message;
    await this.#record(command, { kind: "intent", indexes: [index] });
    const fate = this.#draw(6);
    if (fate === 0) return this.#kill(command);
    if (fate === 1) return this.#record(command, { kind: "rejected", index, failure: refused });
    this.#deliver(command, to);
    if (fate === 2) return this.#kill(command);
    if (fate === 3) return this.#record(command, { kind: "uncertain", index, failure: cut });
    return this.#record(command, { kind: "accepted", index, receipt });
  }

  async #record(command: Command, entry: Parameters<RunWriter["record"]>[0]): Promise<void> {
    command.run?.ledger.apply(entry);
    await command.writer?.record(entry, this.#now());
    this.#touch(command.plan.ownRun.name);
  }

  #deliver({ run, begunAt, isWanted }: Command, to: string): void {
    const by = run?.header.name ?? "";
    const at = this.#now();
    const began = Date.parse(run?.header.started ?? "");
    const isTwice = (before: Delivery) => {
      if (before.by === by) return true;
      if (isWanted || (before.isWanted && before.at >= begunAt)) return false;
      return before.at > (run?.header.isRepeat ? began : began - windowMs);
    };
    const before = this.#deliveries.find((delivery) => delivery.to === to && isTwice(delivery));
    if (before !== undefined) throw new Error(`${to} gets the text twice: from ${before.by}, and from ${by}`);
    this.#deliveries.push({ to, at, by, isWanted });
  }

  /** The process is gone: its lock goes with it, and what it had not recorded. */
  async #kill(command: Command): Promise<void> {
    this.#commands.splice(this.#commands.indexOf(command), 1);
    await command.writer?.close();
    await command.plan[Symbol.asyncDispose]();
    this.#touch(command.plan.ownRun.name);
  }

  async #finish(): Promise<void> {
    for (const name of this.#begun.keys()) {
      while ((await requireRun(this.#runs, name)).ledger.tally().due > 0) {
        await this.#resume(name);
        for (let [command] = this.#commands; command !== undefined; [command] = this.#commands)
          await this.#goOn(command);
      }
    }
  }

  /** Whoever is left out of a run had the text from another one, or may have it, or was refused there. */
  async #requireTold(): Promise<void> {
    for (const name of this.#begun.keys()) {
      const { ledger, readMessages } = await requireRun(this.#runs, name);
      for await (const { index, to } of readMessages()) {
        if (!ledger.isLeftOut(index)) continue;
        const others = await Promise.all([...this.#begun.keys()].map((other) => this.#outcomeOf(other, to)));
        if (!others.some((outcome) => ["accepted", "uncertain", "rejected"].includes(outcome)))
          throw new Error(`${to} is left out of ${name}, and no other run has tried it`);
      }
    }
  }

  async #outcomeOf(name: string, to: string): Promise<string> {
    const { ledger, readMessages } = await requireRun(this.#runs, name);
    for await (const message of readMessages()) if (message.to === to) return ledger.outcomeOf(message.index);
    return "";
  }

  #now(): number {
    return Date.now() + this.#ahead;
  }

  #drawn<Item>(items: readonly Item[]): Item {
    const item = items[this.#draw(items.length)];
    if (item === undefined) throw new Error("nothing to draw from");
    return item;
  }

  /** The record goes by the times of its files as well. */
  #touch(name: string): void {
    const { journal } = runFiles(ours(join(this.#folder, "state")), name);
    try {
      utimesSync(journal, this.#now() / 1000, this.#now() / 1000);
    } catch {
      // It has not begun.
    }
  }

  #localOf(decision: Decision, more: Partial<LocalSend["options"]>): Promise<LocalSend> {
    const service = { SMS_BASE_URL: "https://sms.example.com", SMS_API_KEY: "sk_live_abc" };
    const now = () => this.#now();
    const host = {
      ...machine,
      now,
      wallClock: now,
      environment: { ...foldersIn(this.#folder), ...service, SMS_HISTORY: "off" },
      stdin: { isTerminal: () => true },
      home: () => undefined,
      readFile: (path: string) => createReadStream(path),
    };
    const presenter = {
      showsExactly: () => true,
      note: () => {},
      always: () => {},
      waitFor: <Result>(_: unknown, work: () => Promise<Result>) => work(),
    };
    const context = { host, presenter, redactor: createRedactor(), argv: [] } as unknown as Context;
    const repeated = this.#sabotage === "rule off" ? "send" : decision;
    const style = { json: false, quiet: true, color: false, verbose: false, input: false };
    return openSend({ ...style, yes: true, timeout: 1, retries: 0, repeated, ...more }, context);
  }
}

const refused = { kind: "refused", error: "No", errorCode: "NO" } as const;
const cut = { kind: "no-answer", error: "Cut", errorCode: "NO_ANSWER" } as const;

/** Undefined if a person is told so: exit code 2, and nothing is sent. */
async function told<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SmsError && error.kind === "usage") return undefined;
    throw error;
  }
}
