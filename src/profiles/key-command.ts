import { spawn } from "node:child_process";
import { type ApiKey, readKey } from "../key.ts";
import { interruptionError, SmsError } from "../errors.ts";
import { errorCode } from "../files/file-system.ts";
import { afterOurSignal, type Host } from "../host.ts";

export type CommandHost = Pick<Host, "environment" | "interruption" | "stdin">;

const mostMs = 30_000;

/** A process that the command leaves behind may keep the output open. */
const graceMs = 500;

const mostCharacters = 4096;

/** Piped input may have the recipients, so the command gets none. Throws `no-credentials` without the output. */
export async function keyFromCommand(command: string, source: string, host: CommandHost, ms = mostMs): Promise<ApiKey> {
  const { stop, leave } = host.interruption();
  if (stop.aborted) throw interruptionError(stop, "unsent");
  const input = host.stdin.isTerminal() ? "inherit" : "ignore";
  // Without this variable cmd looks for a program in the working folder first.
  const env = { ...host.environment, NoDefaultCurrentDirectoryInExePath: "1" };
  const child = spawn(command, { shell: true, env, stdio: [input, "pipe", "inherit"] });
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([stop, deadline]);
  let timer: NodeJS.Timeout | undefined;
  const kill = () => void child.kill("SIGKILL");
  const end = () => {
    child.kill("SIGTERM");
    timer = setTimeout(kill, graceMs);
  };
  either.addEventListener("abort", end);
  leave.addEventListener("abort", kill);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (output.length < mostCharacters && !output.includes("\n")) output += chunk;
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    const finish = (status: number | null, signal: string | null) =>
      resolve(status === 0 ? undefined : status === null ? `was ended by ${signal}` : `ended with status ${status}`);
    child.once("error", (error) => resolve(`cannot be started (${errorCode(error)})`));
    child.once("close", (status, signal) => afterOurSignal(status, () => finish(status, signal)));
    child.once("exit", (status, signal) => void setTimeout(() => finish(status, signal), graceMs).unref());
  });
  clearTimeout(timer);
  either.removeEventListener("abort", end);
  leave.removeEventListener("abort", kill);
  child.stdout.destroy();
  if (stop.aborted) throw interruptionError(stop, "unsent");
  if (deadline.aborted) throw failed(source, `did not end within ${ms / 1000} s`);
  if (failure !== undefined) throw failed(source, failure);
  return readKey(output.split("\n", 1).join("").trim(), `the output of the key command in ${source}`);
}

function failed(source: string, how: string): SmsError {
  const hint = "run it yourself to see why, then give the command again";
  return new SmsError("no-credentials", "KEY_COMMAND_FAILED", `the key command in ${source} ${how}`, hint);
}
