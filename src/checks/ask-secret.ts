import { usageError } from "../errors.ts";
import { readLimited } from "../files/open-file.ts";
import { learnTyped } from "../profiles/secrets.ts";
import type { Context } from "../terminal/context.ts";
import { decodeText } from "../terminal/input.ts";
import type { Prompter } from "../terminal/prompt.ts";

const mostSecretBytes = 4096;

interface SecretQuestion {
  readonly question: string;
  readonly check: (answer: string) => unknown;
  readonly isPiped: boolean;
  readonly hint: string;
}

/** If the secret is not piped, a person types the secret unseen. */
export async function readSecret(
  { question, check, isPiped, hint }: SecretQuestion,
  prompter: Prompter | undefined,
  { host: { stdin }, redactor }: Context,
): Promise<string> {
  const source = "standard input";
  const secret = isPiped
    ? decodeText(await readLimited(stdin.chunks(), source, mostSecretBytes), source)
    : await prompter?.askSecret(question, (answer) => void check(answer));
  if (secret === undefined) {
    throw usageError("NO_SECRET", "cannot prompt for the secret: not a terminal, or prompts are off", hint);
  }
  learnTyped(redactor, secret.trim());
  return secret;
}
