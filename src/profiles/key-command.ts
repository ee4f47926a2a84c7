import { spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { type ApiKey, readKey } from "../key.ts";
import { interruption, SmsError, usageError } from "../errors.ts";
import { errorCode } from "../files/open-file.ts";
import { findProgram } from "../files/program.ts";
import { afterOurSignal, type Host } from "../host.ts";

export type CommandHost = Pick<Host, "environment" | "interruption" | "platform" | "stdin">;

/** How long a key command may take. Milliseconds. */
const longest = 30_000;

/** How long it may take to end after SIGTERM, and what it leaves behind may hold its output open. Milliseconds. */
const grace = 500;

const mostCharacters = 4096;

/**
 * Runs a key command without a shell and returns the key on the first line of its output. It has our terminal, but no piped
 * standard input, which may have the recipients. Throws `no-credentials` if it fails, and never quotes its output.
 */
export async function keyFromCommand(
  command: string,
  source: string,
  { host, ms = longest }: { readonly host: CommandHost; readonly ms?: number | undefined },
): Promise<ApiKey> {
  const [name, ...words] = commandWords(command, source);
  const program = isAbsolute(name) ? name : findProgram(name, host.environment, host.platform);
  if (program === undefined) throw failed(source, "names a program that is not on the PATH");
  const { stop, leave } = host.interruption();
  if (stop.aborted) throw interruption(stop, "unsent");
  const input = host.stdin.isTerminal() ? "inherit" : "ignore";
  const child = spawn(program, words, { env: host.environment, stdio: [input, "pipe", "inherit"] });
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([stop, deadline]);
  let timer: NodeJS.Timeout | undefined;
  const kill = () => void child.kill("SIGKILL");
  const end = () => {
    child.kill("SIGTERM");
    timer = setTimeout(kill, grace);
  };
  either.addEventListener("abort", end);
  leave.addEventListener("abort", kill);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (output.length < mostCharacters && !output.includes("\n")) output += chunk;
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    const ended = (status: number | null, signal: string | null) =>
      resolve(status === 0 ? undefined : status === null ? `was ended by ${signal}` : `ended with status ${status}`);
    child.once("error", (error) => resolve(`cannot be started (${errorCode(error)})`));
    child.once("close", (status, signal) => afterOurSignal(status, () => ended(status, signal)));
    child.once("exit", (status, signal) => void setTimeout(() => ended(status, signal), grace).unref());
  });
  clearTimeout(timer);
  either.removeEventListener("abort", end);
  leave.removeEventListener("abort", kill);
  child.stdout.destroy();
  if (stop.aborted) throw interruption(stop, "unsent");
  if (deadline.aborted) throw failed(source, `did not end within ${ms / 1000} s`);
  if (failure !== undefined) throw failed(source, failure);
  return readKey(output.split("\n", 1).join("").trim(), `the output of the key command in ${source}`);
}

/** Splits a command into words as a POSIX shell does, and expands nothing. Throws a usage error `INVALID_KEY_COMMAND`. */
export function commandWords(command: string, source: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let word: string | undefined;
  const piece = /([ \t\n]+|\\\n)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^ \t\n'"\\]+)/gy;
  while (piece.lastIndex < command.length) {
    const [whole, space, single, double, escaped, plain] = piece.exec(command) ?? [];
    if (whole === undefined) throw invalid(source, "it ends inside a quotation or after a backslash");
    const [operator] = /[|$<>;&]/.exec(plain ?? "") ?? [];
    if (operator !== undefined)
      throw invalid(source, `no shell reads its ${operator}`, "quote it, or give the whole to a shell: sh -c '…'");
    if (space === undefined) {
      word = (word ?? "") + (single ?? double?.replace(/\\(?:\n|(["\\$`]))/g, "$1") ?? escaped ?? plain ?? "");
    } else if (space !== "\\\n" && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  const [name, ...others] = word === undefined ? words : [...words, word];
  if (!name) throw invalid(source, "it names no program");
  // Whoever writes to the working folder must not choose what runs with the person's secrets.
  if (/[/\\]/.test(name) && !isAbsolute(name)) throw invalid(source, "its program has a relative path");
  return [name, ...others];
}

function invalid(
  source: string,
  reason: string,
  hint = 'write it as for a shell, such as "op read op://vault/sms/key", with a program of the PATH or an absolute path',
): SmsError {
  return usageError("INVALID_KEY_COMMAND", `the key command in ${source} is invalid: ${reason}`, hint);
}

function failed(source: string, how: string): SmsError {
  return new SmsError("no-credentials", `the key command in ${source} ${how}`, {
    errorCode: "KEY_COMMAND_FAILED",
    hint: "run it yourself to see why; `sms status` shows it",
  });
}
