import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { readFaults } from "../../sandbox/faults.ts";
import { problemsOf } from "../../sandbox/json-reader.ts";
import { changed, defaultSetup, sendPaths, type Setup } from "../../sandbox/setup.ts";
import { readSenders, readSetup } from "../../sandbox/setup-reader.ts";
import { readTextFile } from "../shared/input.ts";

/** The flags that set up a sandbox. */
export interface SandboxFlags {
  readonly config?: string;
  readonly tier?: "free" | "starter" | "professional";
  readonly rate?: number;
  readonly credits?: number;
  readonly sender?: readonly string[];
  readonly path?: "/api/v1/sms/send" | "/v1/sms/send" | "both";
  readonly fault?: string;
  readonly seed?: number;
  readonly log?: true;
}

/** More than any configuration needs. Bytes. */
const mostBytes = 1024 * 1024;

/**
 * Returns the setup of a sandbox from the flags, else the file, else the defaults, with a random seed unless one is given.
 * Throws a usage error: `INVALID_CONFIG` with everything that is wrong in the file, `UNREADABLE_FILE`, `AMBIGUOUS_RATE`,
 * `INVALID_OPTION`.
 */
export async function readSandboxSetup(flags: SandboxFlags, host: Host): Promise<Setup> {
  const { config, tier, rate, credits, sender, path, fault, seed } = flags;
  if (rate !== undefined && tier !== undefined)
    throw usageError("AMBIGUOUS_RATE", "--rate and --tier are both given", "give one of them");
  const chosen: Setup = { ...defaultSetup, seed: Math.floor(host.random() * 2 ** 32) };
  const configured = config === undefined ? chosen : changed(chosen, await readConfig(config, host));
  return changed(configured, {
    ...(tier !== undefined && { tier }),
    ...(rate !== undefined && { rate }),
    ...(credits !== undefined && { credits }),
    ...(sender !== undefined && { senders: readSenders(sender, "--sender") }),
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError("INVALID_CONFIG", `it is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}
