import type { NumberSet } from "../../core/number-set.ts";
import { usageError } from "../../errors.ts";
import { excluded } from "../../guards/excluded.ts";
import type { Guard } from "../../guards/guard.ts";
import { isNumbers, onlyTo, type OnlyToList } from "../../guards/only-to.ts";
import type { Host } from "../../host.ts";
import type { FindCountry } from "../../recipients/check.ts";
import { readNumberList } from "../../recipients/number-list.ts";
import type { Source } from "../../recipients/row.ts";
import { openSource } from "../../recipients/source.ts";

/** The lists of a command: files, or for those that all recipients must be in also numbers separated by commas. */
export interface ListNames {
  readonly exclude: string | undefined;
  readonly onlyTo: string | undefined;
  readonly variable: string | undefined;
  readonly profile: string | undefined;
}

/** Reads the lists of a command and returns their guards. Throws a usage error for one that cannot be read. */
export async function readLists(
  names: ListNames,
  country: FindCountry | undefined,
  host: Host,
): Promise<readonly Guard[]> {
  const guards: Guard[] = [];
  if (names.exclude !== undefined) {
    guards.push(excluded(await readNumberList(openList("--exclude", names.exclude, host), country, true)));
  }
  for (const list of onlyToLists(names)) {
    guards.push(onlyTo(list, await readOnlyTo(list.value, list.name, country, host)));
  }
  return guards;
}

/**
 * Reads a list that all recipients must be in: a file, or numbers separated by commas. Throws a usage error if it cannot be
 * read, or is empty; `name` is what gave it.
 */
export function readOnlyTo(
  value: string,
  name: string,
  country: FindCountry | undefined,
  host: Host,
): Promise<NumberSet> {
  const list = isNumbers(value) ? { name, chunks: linesOf(value.split(",")) } : openList(name, value, host);
  return readNumberList(list, country, false);
}

async function* linesOf(numbers: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(numbers.join("\n"));
}

function openList(name: string, path: string, host: Host): Source {
  if (path !== "-") return openSource(path, host, name);
  throw usageError("AMBIGUOUS_INPUT", `${name} does not read standard input`, "give the numbers in a file");
}

/** A list that all recipients must be in, and the option, the variable or the profile that gave it. */
interface NamedList extends OnlyToList {
  readonly name: string;
}

function onlyToLists({ onlyTo: flag, variable, profile }: ListNames): readonly NamedList[] {
  const lists: NamedList[] = [];
  const add = (value: string, name: string, way: string, source = isNumbers(value) ? name : `${name} (${value})`) =>
    lists.push({ name, value, source, wayOn: `leave it out of the recipients, ${way}` });
  if (flag !== undefined) add(flag, "--only-to", "or add it to that list", `--only-to ${flag}`);
  if (variable !== undefined) {
    // Such as that of a secret which the CI system does not have: it must not allow everybody.
    if (variable.trim() === "") {
      throw usageError("INVALID_OPTION", "SMS_ONLY_TO is empty", "set it to a file or to numbers, or unset it");
    }
    add(variable, "SMS_ONLY_TO", "add it to that list, or unset SMS_ONLY_TO");
  }
  if (profile !== undefined) {
    add(profile, "the only-to of the profile", "add it to that list, or give another: `sms profiles set only-to FILE`");
  }
  return lists;
}
