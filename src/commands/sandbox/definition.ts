import { Command } from "@commander-js/extra-typings";
import { limits } from "../shared/limits.ts";
import { usageError } from "../../errors.ts";
import {
  type GlobalFlags,
  globalOptions,
  number,
  oneOf,
  repeated,
  single,
  withGlobalOptions,
} from "../shared/options.ts";
import { type MessagesFlags, messagesCommand } from "./messages-definition.ts";

/** The flags of `sms sandbox`. */
export interface SandboxFlags {
  readonly port: number;
  readonly config?: string;
  readonly tier?: "free" | "starter" | "professional";
  readonly rate?: number;
  readonly credits?: number;
  readonly sender?: readonly string[];
  readonly path?: "/api/v1/sms/send" | "/v1/sms/send" | "both";
  readonly fault?: string;
  readonly seed?: number;
  readonly log: boolean;
}

/** What `sms sandbox` is to do. */
type SandboxVerb =
  | { readonly kind: "serve"; readonly flags: SandboxFlags }
  | { readonly kind: "messages"; readonly flags: MessagesFlags };

type Run = (verb: SandboxVerb, flags: GlobalFlags) => Promise<void>;

/** `sms sandbox`: its flags, its verb and their help. */
export function sandboxCommand(run: Run) {
  const command = withGlobalOptions(new Command("sandbox"))
    .summary("the service, on this machine: for trying out, for tests, for CI")
    .description("Serves the messaging service on loopback until it is interrupted. Nothing reaches a phone.")
    // So that what follows a verb is the verb's.
    .enablePositionalOptions()
    .option(
      "--port <port>",
      "0 for any that is free (default: 4010)",
      number("--port", "ports", 0, 65_535, true),
    )
    .option("--config <file>", "what the account is, as JSON; the other options beat it", single("--config"))
    .option(
      "--tier <name>",
      "the rate it enforces: free, starter or professional (default: free)",
      limits.tier,
    )
    .option("--rate <n>", "requests per minute, in place of the tier's", limits.rate)
    .option(
      "--credits <n>",
      "what the account has to begin with (default: 1000)",
      number("--credits", "credits", 0, 1_000_000_000, true),
    )
    .option(
      "--sender <name[:id]>",
      "an approved sender ID; may be repeated, the first is the default",
      repeated("--sender"),
    )
    .option(
      "--path <path>",
      "/api/v1/sms/send, /v1/sms/send, or both (default: the first)",
      oneOf("--path", ["/api/v1/sms/send", "/v1/sms/send", "both"]),
    )
    .option("--fault <faults>", 'what goes wrong, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"))
    .option(
      "--seed <n>",
      "what decides whom a fault meets (default: one is chosen, and printed)",
      number("--seed", "seeds", 0, 2 ** 32 - 1, true),
    )
    .option("--log", "a line on stderr for each request")
    .addHelpText(
      "after",
      `
Numbers that end in 000400, 000401, 000402, 000403, 000429, 000500, 000503, 000598, 000599 or
000200 are answered by the fault of that name. --fault takes shares of 400, 401, 402, 403, 429,
500, 502, 503, reset-before, reset-after, hang, garbage and cut-body, and latency:MIN..MAX in ms.
--config takes an object with any of tier, rate, credits, kesPerCredit, keys, account, senders,
paths, bodyCredentials, faults and seed; the README shows one.
What it took: sms sandbox messages, /_sandbox/messages, and the page at /.

Examples:
  $ sms sandbox
  $ sms sandbox --port 0 --json
  $ sms sandbox --credits 10 --tier starter
  $ sms sandbox --fault "500:5%,reset-after:1%" --seed 7 --log
  $ sms sandbox messages --to +254712345678 --wait-for 1`,
    )
    .action(({ port = 4010, log = false, ...flags }) =>
      run({ kind: "serve", flags: { ...flags, port, log } }, flags),
    );
  return command.addCommand(
    messagesCommand((flags, after) =>
      run({ kind: "messages", flags }, globalOptions(beforeVerb(command.opts()), after)),
    ),
  );
}

const serving = [
  "port",
  "config",
  "tier",
  "rate",
  "credits",
  "path",
  "fault",
  "seed",
  "log",
  "sender",
] as const;

/** The global options before a verb. Throws a usage error for what is meant for the server, which a verb does not start. */
function beforeVerb(before: GlobalFlags & Partial<SandboxFlags>): GlobalFlags {
  const meant = serving.find((name) => before[name] !== undefined);
  if (meant === undefined) return before;
  throw usageError(
    "INVALID_OPTION",
    `--${meant} before messages means nothing`,
    "leave it out, or put it after",
  );
}
