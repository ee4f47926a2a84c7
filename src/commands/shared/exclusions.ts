import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { Source } from "../../recipients/row.ts";
import { openSource } from "../../recipients/source.ts";

/** Opens the file of `--exclude`. Throws a usage error for standard input. */
export function openExclusions(path: string, host: Host): Source {
  if (path !== "-") return openSource(path, host);
  throw usageError("AMBIGUOUS_INPUT", "--exclude does not read standard input", "give the numbers in a file");
}
