import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../errors.ts";
import { noFolder, stateFolder } from "../profiles/folders.ts";
import { namedProfile, sharedRecord } from "../profiles/record.ts";
import { learnUrl } from "../profiles/secrets.ts";
import type { Context } from "../terminal/context.ts";
import { doneView } from "../terminal/layout.ts";
import { alignedLines } from "../terminal/text.ts";
import { countText } from "../words/count.ts";

type RecordLines = Parameters<typeof alignedLines>[1];

export async function showRecord(profile: string | undefined, context: Context): Promise<void> {
  const { json, lines } = (await inspectShared(profile, context)) ?? inspectFolder(context);
  context.presenter.show({
    json: () => json,
    quiet: () => [json.place],
    text: (page) => alignedLines(page, lines),
  });
  if (json.kind === "folder")
    context.presenter.note("Only this machine knows it: SMS_RECORD names a database that a team shares.");
}

async function inspectShared(profile: string | undefined, context: Context) {
  const shared = await findShared(profile, context);
  if (shared === undefined) return undefined;
  const { address, source } = shared;
  const { inspectRecord } = await import("../record/postgres/tables.ts");
  const answer = await context.presenter.waitFor("Asking the record", () =>
    inspectRecord(address, context.host.processes.pid),
  );
  const lines: RecordLines = [
    ["Record", `${address.place} (from ${source})`],
    ["Server", `PostgreSQL ${answer.server}`],
    ["Tables", `version ${answer.tables}`],
    ["Can write", answer.isWritable ? "yes" : "no: this user has no right to change the tables"],
    ["Size", sizeText(answer.bytes)],
    ["Runs", countText(answer.runs)],
  ];
  return { json: { kind: "postgres", place: address.place, source, ...answer }, lines };
}

function inspectFolder({ host }: Context) {
  const path = stateFolder(host)?.path;
  if (path === undefined) throw noFolder("runs");
  const source = host.environment["SMS_STATE_DIR"] ? "SMS_STATE_DIR" : "default";
  const bytes = sizeOf(path);
  const lines: RecordLines = [
    ["Record", `${path} (${source === "default" ? "this machine" : `from ${source}`})`],
    ["Size", sizeText(bytes)],
  ];
  return { json: { kind: "folder", place: path, source, bytes }, lines };
}

export async function initSharedRecord(profile: string | undefined, context: Context): Promise<void> {
  const { host, presenter } = context;
  const shared = await findShared(profile, context);
  if (shared === undefined) {
    const hint = "set SMS_RECORD to postgres://USER@HOST/DATABASE, or give `sms profiles set record URL`";
    throw usageError("NO_RECORD", "no shared record is named: the record is on this machine", hint);
  }
  const { address } = shared;
  const { initRecord } = await import("../record/postgres/tables.ts");
  const { before, after } = await presenter.waitFor("Waiting for the database", () =>
    initRecord(address, host.processes.pid),
  );
  const change = before < after ? `Updated the tables to version ${after}` : "The tables are there";
  const text = `${before === 0 ? "Created the tables" : change}: ${address.place}.`;
  presenter.show(doneView({ place: address.place, before, after }, text));
}

async function findShared(profile: string | undefined, { host, redactor }: Context) {
  const shared = sharedRecord(host, namedProfile(host, profile));
  if (shared === undefined) return undefined;
  learnUrl(redactor, shared.url);
  const { readRecordAddress } = await import("../record/postgres/address.ts");
  return { ...shared, address: readRecordAddress(shared.url, host) };
}

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function sizeText(bytes: number): string {
  const unit = bytes < 1_000_000 ? 1000 : 1_000_000;
  return `${countText(Math.ceil(bytes / unit))} ${unit === 1000 ? "kB" : "MB"}`;
}
