import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { readLimited } from "./input.ts";
import { type Prompter, prompterFor } from "./prompt.ts";

/** More bytes than any key or password has. */
const mostBytes = 4096;

/** A secret from standard input, without the one line end after it. Throws a usage error where it is not UTF-8 text. */
export async function secretFromInput({ stdin }: Host): Promise<string> {
  const bytes = await readLimited(stdin.chunks(), "standard input", mostBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw usageError("NOT_UTF8", "standard input is not UTF-8 text", "give the secret alone");
  }
}

/** A secret that the person types without echo, or that stands on standard input where nobody can be asked. */
export async function askOrReadSecret(
  host: Host,
  flags: { readonly input: boolean },
  question: string,
  check: (answer: string) => void,
): Promise<string> {
  const prompter: Prompter | undefined = prompterFor(host, flags);
  if (prompter !== undefined) return prompter.askSecret(question, check);
  if (host.stdin.isTerminal()) {
    throw usageError("NO_SECRET", "nobody can be asked for the secret here", "give it on standard input");
  }
  return secretFromInput(host);
}
