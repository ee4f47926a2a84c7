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

/** Reads the lists of a command and returns their guards. Throws a usage error for one that cannot be read. */
export async function readLists(
  exclude: string | undefined,
  onlyToLists: readonly OnlyToList[],
  country: FindCountry | undefined,
  host: Host,
): Promise<readonly Guard[]> {
  const guards: Guard[] = [];
  if (exclude !== undefined) {
    guards.push(excluded(await readNumberList(openList("--exclude", exclude, host), country, true)));
  }
  for (const list of onlyToLists) {
    guards.push(onlyTo(list, await readOnlyTo(list, country, host)));
  }
  return guards;
}

/** Reads a list that all recipients must be in. Throws a usage error if it cannot be read, or is empty. */
export function readOnlyTo(
  { value, source }: OnlyToList,
  country: FindCountry | undefined,
  host: Host,
): Promise<NumberSet> {
  // The name of the list has its path.
  const option = source.slice(0, source.lastIndexOf(value)).replace(/ \(?$/, "");
  const list = isNumbers(value) ? { name: source, chunks: linesOf(value.split(",")) } : openList(option, value, host);
  return readNumberList(list, country, false);
}

async function* linesOf(numbers: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(numbers.join("\n"));
}

function openList(name: string, path: string, host: Host): Source {
  if (path !== "-") return openSource(path, host, name);
  throw usageError("AMBIGUOUS_INPUT", `${name} does not read standard input`, "give the numbers in a file");
}
