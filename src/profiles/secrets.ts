import { type Credentials, secretsOf } from "../service/credentials.ts";
import { keyPattern } from "../key.ts";
import type { Host } from "../host.ts";
import type { Redactor } from "../terminal/redact.ts";
import type { Profile } from "./stored.ts";

/** An error may quote a secret before anything reads the credentials. */
export function learnEnvironment(redactor: Redactor, environment: Host["environment"]): void {
  learnTyped(redactor, (environment["SMS_API_KEY"] ?? "").trim());
  for (const name of ["SMS_PASSWORD", "SMS_SANDBOX_TOKEN"]) redactor.learnWord((environment[name] ?? "").trim());
  redactor.learnWord(environment["PGPASSWORD"] ?? "");
  learnUrl(redactor, (environment["SMS_RECORD"] ?? "").trim());
}

export function learnUrl(redactor: Redactor, text: string): void {
  const password = URL.canParse(text) ? new URL(text).password : "";
  redactor.learnWord(password);
  if (password !== "") redactor.learn(`:${password}@`);
  try {
    redactor.learnWord(decodeURIComponent(password));
  } catch {
    // The reader of the variable refuses the value.
  }
}

/** Only a text in the form of a key is certain to be no ordinary word. */
export function learnTyped(redactor: Redactor, secret: string): void {
  if (keyPattern.test(secret)) redactor.learn(secret);
  else redactor.learnWord(secret);
}

export function learnCredentials(redactor: Redactor, credentials: Credentials): void {
  const { token, password = "" } = secretsOf(credentials);
  redactor.learn(token);
  redactor.learnWord(password);
}

/** The service has seen the keys that are no longer in use, too. */
export function learnProfile(redactor: Redactor, { keys, credentials, defaults }: Profile): void {
  for (const { secret } of Object.values(keys)) redactor.learn(secret);
  if (credentials.kind === "account") learnCredentials(redactor, credentials);
  if (defaults.record !== undefined) learnUrl(redactor, defaults.record);
}
