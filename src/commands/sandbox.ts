import { Command } from "@commander-js/extra-typings";
import { type GlobalFlags, number, oneOf, withGlobalOptions } from "./options.ts";

/** The flags of `sms sandbox`, with their defaults. */
export interface SandboxFlags {
  readonly port: number;
  readonly tier: "free" | "starter" | "professional";
  readonly credits: number;
}

/** `sms sandbox`: its flags and its help. */
export function sandboxCommand(run: (flags: SandboxFlags & GlobalFlags) => Promise<void>) {
  const command = new Command("sandbox")
    .summary("the service, on this machine: for trying out, for tests, for CI")
    .description("Serves the messaging service on loopback until it is interrupted. Nothing reaches a phone.")
    .option(
      "--port <port>",
      "0 for any that is free (default: 4010)",
      number("--port", "ports", 0, 65_535, true),
    )
    .option(
      "--tier <name>",
      "the rate it enforces: free, starter or professional (default: free)",
      oneOf("--tier", ["free", "starter", "professional"]),
    )
    .option(
      "--credits <n>",
      "what the account has to begin with (default: 1000)",
      number("--credits", "credits", 0, 1_000_000_000, true),
    );
  return withGlobalOptions(command)
    .addHelpText(
      "after",
      `
Numbers that end in 000400, 000401, 000402, 000403, 000429, 000500, 000503, 000598, 000599 or
000200 are answered by the fault of that name. What it took: /_sandbox/messages, and the page at /.

Examples:
  $ sms sandbox
  $ sms sandbox --port 0 --json
  $ sms sandbox --credits 10 --tier starter`,
    )
    .action(({ port = 4010, tier = "free", credits = 1000, ...flags }) =>
      run({ ...flags, port, tier, credits }),
    );
}
