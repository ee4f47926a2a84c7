import { earlierFingerprint } from "../../profiles/fingerprint.ts";
import { lastingFingerprint } from "../../profiles/keys.ts";
import { payerOf } from "../../profiles/payer.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { RunDestination } from "../../runs/header.ts";
import type { Destination } from "./destination.ts";

/** Returns what a resume of the run, or the same key of `--once` again, must not change. */
export function runDestination(destination: Destination, chosen: ChosenProfile | undefined): RunDestination {
  const { address, path, credentials, mode } = destination;
  // Each sandbox has an address of its own, but a run may go on in any of them.
  const baseUrl = mode === "sandbox" ? mode : address.origin + address.basePath;
  const earlierCredentials = earlierFingerprint(credentials);
  const lasting = lastingFingerprint(chosen?.profile, credentials);
  const payer = payerOf(destination, chosen?.profile);
  return { baseUrl, path, credentials: lasting, earlierCredentials, payer, mode };
}
