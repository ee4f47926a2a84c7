import { type SmsError, usageError } from "../../errors.ts";
import { readLimited } from "../../files/limited.ts";
import type { Host } from "../../host.ts";
import { prompterFor } from "./prompt.ts";

/** More than any key or password. Bytes. */
const mostBytes = 4096;

/** Reads a secret from standard input, without one final line end. Throws a usage error if it is not UTF-8. */
export async function secretFromInput({ stdin }: Host): Promise<string> {
  const bytes = await readLimited(stdin.chunks(), "standard input", mostBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw usageError("NOT_UTF8", "standard input is not UTF-8 text", "give only the secret");
  }
}

/** Asks for a secret, or reads it from standard input if it cannot ask. */
export async function askOrReadSecret(
  host: Host,
  flags: { readonly input: boolean },
  question: string,
  check: (answer: string) => void,
): Promise<string> {
  const prompter = prompterFor(host, flags);
  if (prompter !== undefined) return prompter.askSecret(question, check);
  if (host.stdin.isTerminal()) throw cannotAsk("give it on standard input");
  return secretFromInput(host);
}

/** Returns the error for a secret that sms cannot ask for. */
export function cannotAsk(hint: string): SmsError {
  return usageError("NO_SECRET", "cannot prompt for the secret: not a terminal, or prompts are off", hint);
}
