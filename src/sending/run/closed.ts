import type { RunWithLedger } from "../../record/run-with-ledger.ts";
import { usageError } from "../../errors.ts";
import type { RunHeader } from "../../record/header.ts";
import type { Tally } from "../../record/ledger.ts";
import { typedOptions } from "./kept-options.ts";

/** Another run with these options sends to those that this run, and those it excluded, did not reach. */
export function otherName({ name, options: { exclude } }: RunHeader): string {
  return `--run ${name}-2${typedOptions({ exclude })} --exclude run:${name}`;
}

/** Another run may reach these; who is left out stays so. */
export function hasRest({ rejected, unsent, pending }: Tally): boolean {
  return rejected + unsent + pending > 0;
}

export function refuseClosed({ header, ledger }: RunWithLedger): void {
  if (!ledger.isClosed) return;
  const hint = hasRest(ledger.tally())
    ? `\`${otherName(header)}\` sends to those it did not reach`
    : `\`sms runs show ${header.name}\` has its results`;
  throw usageError("RUN_CLOSED", `run ${header.name} is closed: nothing more is sent under its name`, hint);
}
