import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { usageError } from "../errors.ts";
import { jsonLine } from "../output/sanitize.ts";
import { plural } from "../output/text.ts";
import { startSandbox } from "../sandbox/server.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./options.ts";
import type { SandboxFlags } from "./sandbox.ts";

/** Serves the sandbox until the first interrupt, which is how it is meant to end. */
export async function runSandbox(
  flags: SandboxFlags & GlobalOptions,
  { host, redactor }: Context,
): Promise<void> {
  const ignored = flags.profile === undefined ? flags.verbose && "--verbose" : "--profile";
  if (ignored) throw usageError("INVALID_OPTION", `${ignored} means nothing to sms sandbox`, "leave it out");
  const { stop } = host.interruption();
  const sandbox = await startSandbox({ ...flags, now: host.now, newId: randomUUID });
  for (const key of sandbox.keys) redactor.reveal(key);
  if (flags.json) host.stdout.write(jsonLine({ url: sandbox.url, keys: sandbox.keys }));
  else if (flags.quiet) host.stdout.write(`${sandbox.url}\n`);
  else {
    host.stdout.write(`The sandbox listens at ${sandbox.url}; Ctrl-C stops it. In another shell:

  export SMS_BASE_URL=${sandbox.url} SMS_API_KEY=${sandbox.keys[0]}
  sms send --to +254712345678 --message "Hello"

`);
  }
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
  if (!flags.json && !flags.quiet) {
    host.stderr.write(`The sandbox took ${plural(sandbox.messages().length, "message")}.\n`);
  }
}
