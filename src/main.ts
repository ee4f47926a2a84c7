import { endings, type EndingKind, SmsError, usageError } from "./errors.ts";
import type { Host } from "./host.ts";
import { learnEnvironment } from "./commands/shared/secrets.ts";
import { createRedactor, redactedHost } from "./output/redact.ts";
import type { FailureReport } from "./output/text.ts";

export { systemHost } from "./host.ts";

/**
 * Runs `sms` with these arguments on this host and gives the exit code. Never throws. `ready` is what the build found it
 * to print for these arguments where that depends on nothing but the width, which was 80 columns.
 */
export async function main(argv: readonly string[], host: Host, ready?: string): Promise<number> {
  const redactor = createRedactor();
  const context = { host: redactedHost(host, redactor), redactor };
  let ending: EndingKind = "accepted";
  try {
    learnEnvironment(redactor, host.environment);
    if (ready !== undefined && host.stdout.columns() === 80) {
      context.host.stdout.write(ready);
    } else {
      const { runProgram } = await import("./commands/program.ts");
      ending = await runProgram(argv, context);
    }
  } catch (error) {
    if (!isHelp(error)) {
      const failure = asFailure(error, argv.includes("send"));
      const { presenterFor } = await import("./output/presenter.ts");
      // What was typed may be what is wrong, so it is only looked through for the flag that says who reads this.
      const style = {
        json: argv.includes("--json"),
        quiet: false,
        color: !argv.includes("--no-color"),
        verbose: false,
      };
      (await presenterFor(context.host, redactor, style)).fail(failure);
      ending = failure.kind;
    }
  }
  await flush(context.host);
  return endings[ending].exitCode;
}

/** The message that went out is not undone by a result that could not be written: the exit code stays what it was. */
async function flush({ stdout, stderr }: Host): Promise<void> {
  await stdout.flush();
  const failure = stdout.failure();
  if (failure !== undefined && failure.code !== "EPIPE") {
    stderr.write(`Warning: the result could not be written: ${failure.message}\n`);
  }
  await stderr.flush();
}

/** commander ends what it has printed itself, the help, by an error of exit code 0. */
function isHelp(error: unknown): boolean {
  return isCommanderError(error) && "exitCode" in error && error.exitCode === 0;
}

/** `sends` says whether the command was about a message, of which there is an outcome to tell. */
function asFailure(error: unknown, sends: boolean): FailureReport {
  if (error instanceof SmsError) return sends ? error : withoutOutcome(error);
  if (isCommanderError(error)) {
    // It wanted to print the help for want of a command.
    if ("code" in error && error.code === "commander.help") return noCommand();
    const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
    return {
      kind: "usage",
      message,
      errorCode: "USAGE",
      ...(sends && { outcome: "unsent" }),
      hint:
        suggestion?.replace(/^\(D(.*)\)$/, "d$1") ??
        "`sms --help` and `sms COMMAND --help` say what is understood",
    };
  }
  return {
    kind: "fault",
    message: `sms itself failed: ${error instanceof Error ? error.message : String(error)}`,
    errorCode: "FAULT",
    hint: "please report this, with the command that led to it",
  };
}

function withoutOutcome({ kind, message, errorCode, httpStatus, hint, details }: SmsError): FailureReport {
  return { kind, message, errorCode, httpStatus, hint, details };
}

function noCommand(): FailureReport {
  return withoutOutcome(usageError("NO_COMMAND", "there is no command", "`sms --help` lists them"));
}

function isCommanderError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("commander.");
}
