import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Host } from "../../host.ts";
import { jsonLine, visible } from "../../output/sanitize.ts";
import { plural } from "../../output/text.ts";
import { noFaults } from "../../sandbox/faults.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import type { Setup } from "../../sandbox/setup.ts";
import type { Context } from "../shared/context.ts";
import { type GlobalOptions, refuseGlobals } from "../shared/options.ts";
import { readSandboxSetup } from "./setup.ts";
import type { SandboxFlags } from "./definition.ts";

/** Serves the sandbox until the first interrupt, which is how it is meant to end. */
export async function runSandbox(
  flags: SandboxFlags,
  options: GlobalOptions,
  { host, redactor }: Context,
): Promise<void> {
  refuseGlobals(options, "sms sandbox", { profile: "leave it out", verbose: "--log prints each request" });
  const setup = await readSandboxSetup(flags, host.random);
  const { stop } = host.interruption();
  const sandbox = await startSandbox({
    ...setup,
    port: flags.port,
    now: host.now,
    newId: randomUUID,
    ...(flags.log && { log: logTo(host) }),
  });
  for (const key of sandbox.keys) redactor.reveal(key);
  host.stdout.write(startText(sandbox, setup, options));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  if (!options.json && !options.quiet) {
    const { messages, segments, credits } = sandbox.tally();
    const took = [plural(messages, "message"), plural(segments, "segment"), plural(credits, "credit")];
    host.stderr.write(`The sandbox took ${took.join(", ")}.\n`);
  }
}

function startText({ url, keys }: Sandbox, setup: Setup, { json, quiet }: GlobalOptions): string {
  const { account, faults, seed } = setup;
  // Where nothing is drawn, a seed would only puzzle.
  const drawn = faults.text !== noFaults.text;
  if (json) return jsonLine({ url, keys, ...(drawn && { seed }) });
  if (quiet) return `${url}\n`;
  const [key] = keys;
  const login = `SMS_EMAIL=${account.email} SMS_PASSWORD=${account.password}`;
  return `The sandbox listens at ${url}; Ctrl-C stops it. In another shell:

  export SMS_BASE_URL=${url} ${visible(key === undefined ? login : `SMS_API_KEY=${key}`)}
  sms send --to +254712345678 --message "Hello"

${drawn ? `The faults are drawn with --seed ${seed}.\n\n` : ""}`;
}

/** A line for each request: when, what, the answer's status or how it ended without one, and what is known of a send. */
function logTo({ now, stderr }: Host): NonNullable<SandboxOptions["log"]> {
  return ({ method, path }, { reply, fault, to, mode, segments }) => {
    const known = Object.entries({ fault, to, mode, segments })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${value}`);
    const status = reply.kind === "answer" ? reply.status : reply.kind;
    const words = [new Date(now()).toISOString(), method, path, status, ...known];
    stderr.write(`${visible(words.join(" "))}\n`);
  };
}
