import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";

/** Throws a usage error `EMPTY_VARIABLE` if only white space is there. */
export function variable(environment: Host["environment"], name: `SMS_${string}`): string | undefined {
  const value = environment[name]?.trim();
  if (value === "") throw usageError("EMPTY_VARIABLE", `${name} is set but empty`, emptyHint);
  return value;
}

export const emptyHint = "is the secret missing in this job? Set it, or unset the variable";
