import { Command } from "@commander-js/extra-typings";
import { plural } from "../../words/count.ts";
import { readFaults } from "../../sandbox/faults.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import { defaultSetup, readSenders, type Setup } from "../../sandbox/setup.ts";
import type { Context } from "../../terminal/context.ts";
import { limits, number, repeated, single } from "../shared/option-values.ts";

type SandboxFlags = Readonly<ReturnType<ReturnType<typeof withSetupOptions>["opts"]>>;

export function withSetupOptions(name: string) {
  return new Command(name)
    .option(
      "--credits <n>",
      "the credits to start with (default: 1000)",
      number("--credits", "a whole number of credits", 0, 1_000_000_000),
    )
    .option("--rate <n>", "n/min, free, starter or professional (default: free)", limits.rate)
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"));
}

/** Starts a sandbox. Throws `INVALID_OPTION` or `INVALID_FAULT` for its flags. */
export async function openSandbox(
  flags: SandboxFlags,
  place: Pick<SandboxOptions, "host" | "port" | "isPrivate">,
  { host, redactor }: Context,
  log?: SandboxOptions["log"],
): Promise<Sandbox> {
  const sandbox = await startSandbox({
    ...setupOf(flags),
    ...place,
    now: host.now,
    newId: () => crypto.randomUUID(),
    random: host.random,
    log,
  });
  for (const key of sandbox.keys) redactor.reveal(key);
  return sandbox;
}

function setupOf({ rate, credits, sender, fault }: SandboxFlags): Setup {
  return {
    rate: rate ?? defaultSetup.rate,
    credits: credits ?? defaultSetup.credits,
    senders: sender === undefined ? defaultSetup.senders : readSenders(sender),
    faults: fault === undefined ? defaultSetup.faults : readFaults(fault),
  };
}

/** The address of the page, with the token that it needs. */
export function inboxAddress({ url, token }: Sandbox): string {
  return `${url}/${token === undefined ? "" : `?token=${token}`}`;
}

export function tallyText(sandbox: Sandbox): string {
  const { messages, segments, credits } = sandbox.tally();
  return `Received ${plural(messages, "message")} in ${plural(segments, "segment")}; ${plural(credits, "credit")} would be charged.`;
}
