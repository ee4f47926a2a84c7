import { usageError } from "../../errors.ts";
import type { SendFlags } from "./definition.ts";

/** Whether this is a run: anything but one recipient without a name for a run. Throws a usage error for a run's flag without one. */
export function isRun(flags: SendFlags): boolean {
  if (flags.recipients !== undefined || flags.run !== undefined || (flags.to ?? []).length > 1) return true;
  const { rate, tier, concurrency, skipInvalid, allowDuplicates, exclude, toColumn, format } = flags;
  const ofRuns = {
    "--rate": rate,
    "--tier": tier,
    "--concurrency": concurrency,
    "--skip-invalid": skipInvalid,
    "--allow-duplicates": allowDuplicates,
    "--exclude": exclude,
    "--to-column": toColumn,
    "--format": format,
  };
  const given = Object.entries(ofRuns).find(([, value]) => value !== undefined);
  if (given === undefined) return false;
  throw usageError(
    "INVALID_OPTION",
    `${given[0]} means nothing to a single message`,
    "leave it out, or name a run with --run",
  );
}
