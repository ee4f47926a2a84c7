import { type Credentials, secretsOf } from "../../core/credentials.ts";
import type { Host } from "../../host.ts";
import type { Redactor } from "../../output/redact.ts";

/** Teaches the redactor the secrets in the environment, which an error may quote before they are read as credentials. */
export function learnEnvironment(redactor: Redactor, environment: Host["environment"]): void {
  learnTyped(redactor, (environment["SMS_API_KEY"] ?? "").trim());
  redactor.learnWord(environment["SMS_PASSWORD"] ?? "");
}

/** Teaches the redactor a secret as it was typed or piped in. Only what has the form of a key is certain to be no ordinary word. */
export function learnTyped(redactor: Redactor, secret: string): void {
  if (/^sk_(test|live)_[!-~]+$/.test(secret)) redactor.learn(secret);
  else redactor.learnWord(secret);
}

/** Teaches the redactor the credentials that a command uses. */
export function learnCredentials(redactor: Redactor, credentials: Credentials): void {
  const { token, password = "" } = secretsOf(credentials);
  redactor.learn(token);
  redactor.learnWord(password);
}
