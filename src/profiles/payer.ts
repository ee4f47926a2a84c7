import type { Payer } from "../message/credentials.ts";
import type { Resolved } from "./resolve.ts";
import { payerId, shortHash } from "./state.ts";
import type { Profile } from "./stored.ts";

/**
 * Returns who pays for a send. All keys of a profile are taken for keys of one account, because the balance goes on when a
 * key is replaced; credentials that the profile does not have are taken for those of another account.
 */
export function payerOf(
  {
    profile: name,
    address,
    credentials,
    key,
    keyCommand,
    sources,
  }: Omit<Resolved, "warnings" | "path" | "otherService">,
  profile: Profile | undefined,
): Payer {
  const secret = credentials.kind === "key" ? credentials.key.secret : undefined;
  const [stored] = Object.entries(profile?.keys ?? {}).find(([, own]) => own.secret === secret) ?? [];
  const isOfProfile = sources.credentials === "profile" || stored !== undefined;
  const { origin, basePath } = address;
  return {
    account: isOfProfile
      ? shortHash(JSON.stringify([origin + basePath, "profile", name]))
      : payerId(address, credentials),
    key: key?.name ?? stored ?? labelOf(sources.credentials, keyCommand),
  };
}

function labelOf(source: string, keyCommand: string | undefined): string {
  if (source !== "profile") return source;
  return keyCommand === undefined ? "account" : "key command";
}
