import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";

/** A variable of the environment without the white space around it. Throws a usage error `EMPTY_VARIABLE` if nothing is left. */
export function variable(environment: Host["environment"], name: `SMS_${string}`): string | undefined {
  const value = environment[name]?.trim();
  if (value === "") throw usageError("EMPTY_VARIABLE", `${name} is set but empty`, emptyHint);
  return value;
}

export const emptyHint = "is the secret missing in this job? Set it, or unset the variable";
