import { join } from "node:path";
import { nearest } from "../words/nearest.ts";
import { usageError } from "../errors.ts";
import { namesIn } from "../files/file-system.ts";
import type { Host } from "../host.ts";
import { configFolder, noFolder } from "../profiles/folders.ts";

export function isList(to: string): boolean {
  return to.startsWith("@");
}

/** `--to @NAME` sends to a file in the folder `groups` of the configuration. */
export function listsIn(folder: string) {
  return namesIn(folder)
    .flatMap((file) => {
      const name = /^(.+)\.(?:txt|csv|ndjson)$/i.exec(file)?.[1]?.normalize("NFC") ?? "";
      return isListName(name) ? [{ name, file }] : [];
    })
    .toSorted((a, b) => a.file.localeCompare(b.file));
}

function isListName(name: string): boolean {
  return /^[\p{L}\p{M}\p{Nd}._-]{1,64}$/u.test(name);
}

/** A file system may keep a name in another composition than the keyboard types it. */
function listKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

export function listsFolder(host: Host): string | undefined {
  const folder = configFolder(host);
  return folder === undefined ? undefined : join(folder, "groups");
}

/** Throws a usage error that names the lists that exist. */
export function listFile(name: string, host: Host): string {
  const folder = listsFolder(host);
  if (folder === undefined) throw noFolder("lists");
  const lists = listsIn(folder);
  const [list, another] = lists.filter((each) => listKey(each.name) === listKey(name));
  if (list !== undefined) {
    if (another === undefined) return join(folder, list.file);
    const what = `there are two lists @${name}: ${list.file} and ${another.file}`;
    throw usageError("AMBIGUOUS_INPUT", what, `remove one of them from ${folder}`);
  }
  const names = [...new Set(lists.map((each) => each.name))];
  const near = nearest(name, names);
  const all = names.length === 0 ? "no list" : names.map((each) => `@${each}`).join(", ");
  const question = near === undefined ? "" : `did you mean @${near}? `;
  const hint = `${question}${folder} has ${all}; put one there as NAME.txt, NAME.csv or NAME.ndjson, or give \`sms send\` a file with --recipients`;
  throw usageError("UNKNOWN_LIST", `there is no list @${name}`, hint);
}
