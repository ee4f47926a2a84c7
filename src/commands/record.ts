import { learnUrl } from "../profiles/secrets.ts";
import { Command } from "@commander-js/extra-typings";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../errors.ts";
import { doneView } from "../terminal/layout.ts";
import { countText } from "../words/count.ts";
import { alignedLines } from "../terminal/text.ts";
import { stateFolder } from "../profiles/folders.ts";
import { type Context, type Runner, type GlobalOptions } from "../terminal/context.ts";
import { verb, withExamples, withGlobalOptions } from "./shared/options.ts";
import { noFolder } from "../profiles/folders.ts";
import { namedProfile, sharedRecord } from "../profiles/record.ts";

export function recordCommand(run: Runner) {
  const init = verb("init", "create or update the tables of a shared record", "sms record init")
    .description(
      "Create the tables of the record that a team shares, or update them to what this sms needs, as a database user who may. Every other command only reads and writes.",
    )
    .action((_, command) => run(command, initShared));
  const record = new Command("record")
    .description(
      "Show where what was planned, sent and spent is recorded, why there, and whether it can be used: on this machine, or in the PostgreSQL database of a team, which SMS_RECORD or a profile names.",
    )
    .action((_, command) => run(command, showRecord))
    .addCommand(withGlobalOptions(init, ["profile", "json", "quiet"]));
  withGlobalOptions(record, ["profile", "json", "quiet"]);
  return withExamples(record, ["sms record", "SMS_RECORD=postgres://sms@db.example/sms sms record init"]);
}

/** Returns the address of the shared record; undefined without one. */
async function findShared({ profile }: GlobalOptions, { host, redactor }: Pick<Context, "host" | "redactor">) {
  const shared = sharedRecord(host, namedProfile(host, profile));
  if (shared === undefined) return undefined;
  learnUrl(redactor, shared.url);
  const { readRecordAddress } = await import("../record/postgres/address.ts");
  return { ...shared, address: readRecordAddress(shared.url, host) };
}

async function requireShared(options: GlobalOptions, context: Context) {
  const shared = await findShared(options, context);
  if (shared !== undefined) return shared;
  const hint = "set SMS_RECORD to postgres://USER@HOST/DATABASE, or give `sms profiles set record URL`";
  throw usageError("NO_RECORD", "no shared record is named: the record is on this machine", hint);
}

async function showRecord(options: GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const shared = await findShared(options, context);
  if (shared === undefined) return showFolder(context);
  const { inspectRecord } = await import("../record/postgres/tables.ts");
  const found = await presenter.waitFor("Asking the record", () => inspectRecord(shared.address, host.processes.pid));
  const { place } = shared.address;
  const json = { kind: "postgres", place, source: shared.source, ...found };
  presenter.show({
    json: () => json,
    quiet: () => [place],
    text: (page) =>
      alignedLines(page, [
        ["Record", `${place} (from ${shared.source})`],
        ["Server", `PostgreSQL ${found.server}`],
        ["Tables", `version ${found.tables}`],
        ["Can write", found.isWritable ? "yes" : "no: this user has no right to change the tables"],
        ["Size", sizeText(found.bytes)],
        ["Runs", countText(found.runs)],
      ]),
  });
}

function showFolder({ host, presenter }: Context): void {
  const state = stateFolder(host);
  if (state === undefined) throw noFolder("runs");
  const source = host.environment["SMS_STATE_DIR"] ? "SMS_STATE_DIR" : "default";
  const bytes = sizeOf(state.path);
  presenter.show({
    json: () => ({ kind: "folder", place: state.path, source, bytes }),
    quiet: () => [state.path],
    text: (page) =>
      alignedLines(page, [
        ["Record", `${state.path} (${source === "default" ? "this machine" : `from ${source}`})`],
        ["Size", sizeText(bytes)],
      ]),
  });
  presenter.note("Only this machine knows it: SMS_RECORD names a database that a team shares.");
}

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${countText(Math.ceil(bytes / 1000))} kB`
    : `${countText(Math.ceil(bytes / 1_000_000))} MB`;
}

async function initShared(options: GlobalOptions, context: Context): Promise<void> {
  const { address } = await requireShared(options, context);
  const { host, presenter } = context;
  const { initRecord } = await import("../record/postgres/tables.ts");
  const { before, after } = await presenter.waitFor("Waiting for the database", () =>
    initRecord(address, host.processes.pid),
  );
  const done =
    before === 0
      ? "Created the tables"
      : before < after
        ? `Updated the tables to version ${after}`
        : "The tables are there";
  presenter.show(doneView({ place: address.place, before, after }, `${done}: ${address.place}.`));
}
