import { join } from "node:path";
import { nearest } from "../../message/nearest.ts";
import { shellWord } from "../../message/shell-word.ts";
import { usageError } from "../../errors.ts";
import { namesIn } from "../../files/open-file.ts";
import type { Host } from "../../host.ts";
import { configFolder } from "../../profiles/folders.ts";
import { isRunName } from "../../record/runs.ts";
import { noFolder } from "./profile.ts";

/** A list that `--to @NAME` sends to: a file in the folder `groups` of the configuration. */
interface Group {
  readonly name: string;
  readonly file: string;
}

/** Returns the lists of the configuration, by name. */
export function groupsIn(folder: string): readonly Group[] {
  return namesIn(folder)
    .flatMap((file): Group[] => {
      const [, name = ""] = /^(.+)\.(?:txt|csv|ndjson)$/.exec(file) ?? [];
      return isRunName(name) ? [{ name, file }] : [];
    })
    .toSorted((a, b) => a.file.localeCompare(b.file));
}

export function groupsFolder(host: Host): string | undefined {
  const folder = configFolder(host);
  return folder === undefined ? undefined : join(folder, "groups");
}

/** Returns the file of a list, which is one of those that exist, whatever the name is. Throws a usage error that names them. */
export function groupFile(name: string, host: Host): string {
  const folder = groupsFolder(host);
  if (folder === undefined) throw noFolder("lists");
  const groups = groupsIn(folder);
  const [found, another] = groups.filter((group) => group.name === name);
  if (found === undefined) throw unknownGroup(name, groups, folder);
  if (another === undefined) return join(folder, found.file);
  const what = `there are two lists @${name}: ${found.file} and ${another.file}`;
  throw usageError("AMBIGUOUS_INPUT", what, `remove one of them from ${folder}`);
}

function unknownGroup(name: string, groups: readonly Group[], folder: string): Error {
  const names = [...new Set(groups.map((group) => group.name))];
  const near = nearest(name, names);
  const all = names.map((each) => `@${each}`).join(", ");
  const hint = () => {
    if (/[\\/]/.test(name) || (near === undefined && /\.\w+$/.test(name)))
      return `give a file with --recipients ${shellWord(name)}`;
    if (near !== undefined) return `did you mean @${near}? ${folder} has ${all}`;
    if (names.length > 0) return `${folder} has ${all}`;
    const file = isRunName(name) ? name : "NAME";
    return `put one into ${folder}, as ${file}.txt, ${file}.csv or ${file}.ndjson`;
  };
  return usageError("UNKNOWN_LIST", `there is no list @${name}`, hint());
}
