import { Command } from "@commander-js/extra-typings";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { parseJson } from "../../json.ts";
import { plural } from "../../words/count.ts";
import { readFaults } from "../../sandbox/faults.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import { defaultSetup, problemsOf, readSenders, readSetup, type Setup } from "../../sandbox/setup.ts";
import type { Context } from "../../terminal/context.ts";
import { readTextFile } from "../../terminal/input.ts";
import { limits, number, repeated, single } from "../shared/option-values.ts";

type SandboxFlags = Readonly<ReturnType<ReturnType<typeof withSetupOptions>["opts"]>>;

export function withSetupOptions(name: string) {
  return new Command(name)
    .option(
      "--credits <n>",
      "the credits to start with (default: 1000)",
      number("--credits", "a whole number of credits", { least: 0, most: 1_000_000_000 }),
    )
    .option("--rate <n>", "n/min, free, starter or professional (default: free)", limits.rate)
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"))
    .optionsGroup("Setup:")
    .option("--config <file>", "a JSON file with the setup; other options override it", single("--config"));
}

export async function openSandbox(
  {
    flags,
    place,
  }: { readonly flags: SandboxFlags; readonly place: Pick<SandboxOptions, "host" | "port" | "isPrivate"> },
  { host, redactor }: Context,
  log: SandboxOptions["log"] = () => {},
) {
  const setup = await readSandboxSetup(flags, host);
  const sandbox = await startSandbox({
    ...setup,
    ...place,
    now: host.now,
    newId: () => crypto.randomUUID(),
    random: host.random,
    log,
  });
  for (const key of sandbox.keys) redactor.reveal(key);
  return { sandbox, account: setup.account };
}

/** More than any configuration needs. Bytes. */
const mostBytes = 1024 * 1024;

/**
 * Returns the setup of a sandbox from the flags, else the file, else the defaults. Throws a usage error: `INVALID_CONFIG` with
 * everything that is wrong in the file, `UNREADABLE_FILE`, `INVALID_OPTION`.
 */
async function readSandboxSetup({ config, rate, credits, sender, fault }: SandboxFlags, host: Host): Promise<Setup> {
  return {
    ...defaultSetup,
    ...(config !== undefined && (await readConfig(config, host))),
    ...(rate !== undefined && { rate }),
    ...(credits !== undefined && { credits }),
    ...(sender !== undefined && { senders: readSenders(sender) }),
    ...(fault !== undefined && { faults: readFaults(fault, "--fault") }),
  };
}

async function readConfig(path: string, host: Host): Promise<Partial<Setup>> {
  const text = await readTextFile({ path, option: "--config", limit: mostBytes }, host);
  try {
    return readSetup(parseJson(text));
  } catch (error) {
    const problems = problemsOf(error);
    throw usageError("INVALID_CONFIG", `${path} is not a valid configuration`, {
      hint: "fix the file and start again",
      details: problems,
    });
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
