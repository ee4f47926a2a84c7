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
    const numbers = await readNumberList(sourceOf(list, host), country, false);
    guards.push(onlyTo(list, numbers));
  }
  return guards;
}

function sourceOf({ value, source }: OnlyToList, host: Host): Source {
  if (!isNumbers(value)) return openList(source, value, host);
  return { name: source, chunks: linesOf(value.split(",")) };
}

async function* linesOf(numbers: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(numbers.join("\n"));
}

function openList(name: string, path: string, host: Host): Source {
  if (path !== "-") return openSource(path, host, name);
  throw usageError("AMBIGUOUS_INPUT", `${name} does not read standard input`, "give the numbers in a file");
}
