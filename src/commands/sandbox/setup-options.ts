import { Command } from "@commander-js/extra-typings";
import { readFaults } from "../../sandbox/faults.ts";
import { readSenders, type Setup } from "../../sandbox/setup.ts";
import { creditsOf, limits, repeated, single } from "../shared/option-values.ts";

export function withSetupOptions(name: string) {
  return new Command(name)
    .option("--credits <n>", "the credits to start with (default: 1000)", creditsOf("--credits"))
    .option("--rate <n>", "n/min, free, starter or professional (default: free)", limits.rate)
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"));
}

type SetupFlags = Readonly<ReturnType<ReturnType<typeof withSetupOptions>["opts"]>>;

/** Throws `INVALID_OPTION` or `INVALID_FAULT`. */
export function setupOf({ sender, fault, ...flags }: SetupFlags): Partial<Setup> {
  return { ...flags, senders: sender && readSenders(sender), faults: fault === undefined ? fault : readFaults(fault) };
}
