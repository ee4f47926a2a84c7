import { Command } from "@commander-js/extra-typings";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { parseJson } from "../../message/json.ts";
import { plural } from "../../message/count.ts";
import { noFaults, readFaults } from "../../sandbox/faults.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import {
  changed,
  defaultSetup,
  problemsOf,
  readSenders,
  readSetup,
  sendPaths,
  type Setup,
  tiers,
} from "../../sandbox/setup.ts";
import type { Context } from "../shared/context.ts";
import { readTextFile } from "../shared/input.ts";
import { number, oneOf, repeated, single } from "../shared/option-values.ts";

type SandboxFlags = Readonly<ReturnType<ReturnType<typeof withSetupOptions>["opts"]>>;

export function withSetupOptions(name: string) {
  return new Command(name)
    .option(
      "--credits <n>",
      "the credits to start with (default: 1000)",
      number("--credits", "a whole number of credits", 0, 1_000_000_000),
    )
    .option("--tier <name>", "free, starter or professional (default: free)", oneOf("--tier", tiers))
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"))
    .optionsGroup("Setup:")
    .option("--config <file>", "a JSON file with the setup; other options override it", single("--config"))
    .option(
      "--rate <n>",
      "enforce n requests a minute instead of a tier",
      number("--rate", "a whole number of requests", 1, 1_000_000),
    )
    .option(
      "--path <path>",
      "/api/v1/sms/send (default), /v1/sms/send or both",
      oneOf("--path", [...sendPaths, "both"]),
    )
    .option("--seed <n>", "repeat the faults of an earlier start", number("--seed", "a seed", 0, 2 ** 32 - 1));
}

export async function openSandbox(
  flags: SandboxFlags,
  place: Pick<SandboxOptions, "host" | "port" | "isPrivate">,
  { host, redactor }: Context,
  log: SandboxOptions["log"] = () => {},
) {
  const setup = await readSandboxSetup(flags, host);
  const sandbox = await startSandbox({
    ...setup,
    ...place,
    now: host.now,
    newId: () => crypto.randomUUID(),
    log,
  });
  for (const key of sandbox.keys) redactor.reveal(key);
  const seed = setup.faults === noFaults ? undefined : setup.seed;
  /** Says which seed repeats the faults; empty without faults. */
  const seedText = seed === undefined ? "" : `--seed ${seed} repeats these faults.`;
  return { sandbox, account: setup.account, seed, seedText };
}

/** More than any configuration needs. Bytes. */
const mostBytes = 1024 * 1024;

/**
 * Returns the setup of a sandbox from the flags, else the file, else the defaults, with a random seed unless one is given.
 * Throws a usage error: `INVALID_CONFIG` with everything that is wrong in the file, `UNREADABLE_FILE`, `AMBIGUOUS_RATE`,
 * `INVALID_OPTION`.
 */
async function readSandboxSetup(flags: SandboxFlags, host: Host): Promise<Setup> {
  const { config, tier, rate, credits, sender, path, fault, seed } = flags;
  if (rate !== undefined && tier !== undefined)
    throw usageError("AMBIGUOUS_RATE", "--rate and --tier are both given", "give one of them");
  const chosen: Setup = { ...defaultSetup, seed: Math.floor(host.random() * 2 ** 32) };
  const configured = config === undefined ? chosen : changed(chosen, await readConfig(config, host));
  return changed(configured, {
    ...(tier !== undefined && { tier }),
    ...(rate !== undefined && { rate }),
    ...(credits !== undefined && { credits }),
    ...(sender !== undefined && { senders: readSenders(sender) }),
    ...(path !== undefined && { paths: path === "both" ? sendPaths : [path] }),
    ...(fault !== undefined && { faults: readFaults(fault, "--fault") }),
    ...(seed !== undefined && { seed }),
  });
}

async function readConfig(path: string, host: Host): Promise<Partial<Setup>> {
  const text = await readTextFile(path, "--config", mostBytes, host);
  try {
    return readSetup(parseJson(text));
  } catch (error) {
    const problems = problemsOf(error);
    throw usageError(
      "INVALID_CONFIG",
      `${path} is not a valid configuration`,
      "fix the file and start again",
      problems,
    );
  }
}

/** Returns the address of the page, with what it needs. */
export function inboxOf({ url, token }: Sandbox): string {
  return `${url}/${token === undefined ? "" : `?token=${token}`}`;
}

export function tallyText(sandbox: Sandbox): string {
  const { messages, segments, credits } = sandbox.tally();
  return `Received ${plural(messages, "message")} in ${plural(segments, "segment")}; ${plural(credits, "credit")} would be charged.`;
}
