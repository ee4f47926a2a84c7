/** Whom a request is charged to: nobody for a test key, the account for a live key or its own e-mail and password. */
export type Mode = "test" | "live" | "account";

/** The keys that the sandbox takes: one for tests, one that is charged. */
export const sandboxKeys = ["sk_test_sandbox", "sk_live_sandbox"] as const;

const [testKey, liveKey] = sandboxKeys;
const account = Buffer.from("sandbox@example.com:sandbox").toString("base64");

const modes: ReadonlyMap<string, Mode> = new Map([
  [`bearer ${testKey}`, "test"],
  [`bearer ${liveKey}`, "live"],
  [`basic ${account}`, "account"],
]);

/** The mode of an `Authorization` header, or nothing where it opens no door. */
export function authenticate(authorization: string): Mode | undefined {
  const [scheme = "", ...credentials] = authorization.split(/ +/);
  return modes.get([scheme.toLowerCase(), ...credentials].join(" "));
}
