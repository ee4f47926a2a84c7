import { learnEnvironment } from "./profiles/secrets.ts";
import { endingOf, endings, fileError } from "./errors.ts";
import type { Host } from "./host.ts";
import { createRedactor, redactedHost } from "./terminal/redact.ts";

export { systemHost } from "./host.ts";

/** Runs `sms` and returns the exit code. Never throws. `ready` is the help that the build rendered for `argv`. */
export function main(argv: readonly string[], host: Host, ready?: string): Promise<number> {
  const left = host.left.then(() => endings[endingOf(host.interruption().stop)].exitCode);
  return Promise.race([runToEnd(argv, host, ready), left]);
}

async function runToEnd(argv: readonly string[], host: Host, ready: string | undefined): Promise<number> {
  const redactor = createRedactor();
  const redacted = redactedHost(host, redactor);
  let exitCode: number = endings.accepted.exitCode;
  try {
    learnEnvironment(redactor, host.environment);
    if (ready !== undefined && host.stdout.columns() === 80) redacted.stdout.write(ready);
    else {
      const { runProgram } = await import("./commands/program.ts");
      exitCode = await runProgram(argv, redacted, redactor);
    }
  } catch (error) {
    // Not even the failure could be reported as it should be.
    const known = fileError(error);
    const message = known === undefined ? `sms itself failed: ${String(error)}` : `${known.message}: ${known.hint}`;
    redacted.stderr.write(`Error: ${message}\n`);
    exitCode = endings[known?.kind ?? "fault"].exitCode;
  }
  await flush(redacted);
  return exitCode;
}

/** Waits for the output. A result that cannot be written changes no exit code: the message was sent all the same. */
async function flush({ stdout, stderr }: Host): Promise<void> {
  await stdout.flush();
  const failure = stdout.failure();
  if (failure !== undefined && failure.code !== "EPIPE") {
    stderr.write(`Warning: the result could not be written: ${failure.message}\n`);
  }
  await stderr.flush();
}
