import { learnEnvironment } from "./profiles/secrets.ts";
import { endingOf, endings, fileError } from "./errors.ts";
import type { Host } from "./host.ts";
import { createRedactor, redactedHost } from "./terminal/redact.ts";

export { systemHost } from "./host.ts";

/** Returns the exit code, and never throws. */
export function main(argv: readonly string[], host: Host): Promise<number> {
  const leave = host.departure.then(() => endings[endingOf(host.interruption().stop)].exitCode);
  return Promise.race([runToEnd(argv, host), leave]);
}

async function runToEnd(argv: readonly string[], host: Host): Promise<number> {
  const redactor = createRedactor();
  const safeHost = redactedHost(host, redactor);
  let exitCode: number;
  try {
    learnEnvironment(redactor, host.environment);
    const { runProgram } = await import("./commands/program.ts");
    exitCode = await runProgram(argv, safeHost, redactor);
  } catch (error) {
    // The presenter could not report this failure.
    const failure = fileError(error);
    const message =
      failure === undefined ? `sms itself failed: ${String(error)}` : `${failure.message}: ${failure.hint}`;
    safeHost.stderr.write(`Error: ${message}\n`);
    exitCode = endings[failure?.kind ?? "fault"].exitCode;
  }
  await flush(safeHost);
  return exitCode;
}

/** If the result cannot be written, the exit code stays, because the message was sent. */
async function flush({ stdout, stderr }: Host): Promise<void> {
  await stdout.flush();
  const failure = stdout.failure();
  if (failure !== undefined && failure.code !== "EPIPE")
    stderr.write(`Warning: the result could not be written: ${failure.message}\n`);
  await stderr.flush();
}
