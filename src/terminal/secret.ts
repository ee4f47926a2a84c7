import { type SmsError, usageError } from "../errors.ts";
import { readLimited } from "../files/open-file.ts";
import type { Host } from "../host.ts";
import { decodeText } from "./input.ts";
import { prompterFor } from "./prompt.ts";

const mostSecretBytes = 4096;

export async function secretFromInput({ stdin }: Host): Promise<string> {
  return decodeText(await readLimited(stdin.chunks(), "standard input", mostSecretBytes), "standard input");
}

export async function askOrReadSecret(
  host: Host,
  flags: { readonly input: boolean },
  { question, check }: { readonly question: string; readonly check: (answer: string) => void },
): Promise<string> {
  const prompter = prompterFor(host, flags);
  if (prompter !== undefined) return prompter.askSecret(question, check);
  if (host.stdin.isTerminal()) throw cannotAsk("give it on standard input");
  return secretFromInput(host);
}

export function cannotAsk(hint: string): SmsError {
  return usageError("NO_SECRET", "cannot prompt for the secret: not a terminal, or prompts are off", hint);
}
