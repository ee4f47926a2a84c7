import { Command } from "@commander-js/extra-typings";
import { number, oneOf, repeated, single } from "../shared/option-values.ts";

/** Returns a command with the options that set up a sandbox. */
export function withSetupOptions(name: string) {
  return new Command(name)
    .option("--config <file>", "a JSON file with the setup; other options override it", single("--config"))
    .option(
      "--tier <name>",
      "free, starter or professional (default: free)",
      oneOf("--tier", ["free", "starter", "professional"]),
    )
    .option(
      "--rate <n>",
      "enforce n requests a minute instead of a tier",
      number("--rate", "a whole number of requests", 1, 1_000_000),
    )
    .option(
      "--credits <n>",
      "the credits to start with (default: 1000)",
      number("--credits", "a whole number of credits", 0, 1_000_000_000),
    )
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option(
      "--path <path>",
      "/api/v1/sms/send (default), /v1/sms/send or both",
      oneOf("--path", ["/api/v1/sms/send", "/v1/sms/send", "both"]),
    )
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"))
    .option("--seed <n>", "repeat the faults of an earlier start", number("--seed", "a seed", 0, 2 ** 32 - 1))
    .option("--log", "print a line on stderr for each request");
}
