import { readAddress } from "../../core/address.ts";
import { readKey } from "../../core/key.ts";
import type { Profile } from "../../profiles/stored.ts";
import { isSandboxAt } from "./destination.ts";

/** Says that sends with this profile reach phones; nothing if they do not, or if only its key command knows. */
export async function liveNotice(name: string, { baseUrl, credentials, keys }: Profile): Promise<readonly string[]> {
  const secret = credentials.kind === "key" ? keys[credentials.name]?.secret : undefined;
  const isLive = secret === undefined ? credentials.kind === "account" : readKey(secret, "the profile").mode === "live";
  if (!isLive || (baseUrl !== undefined && (await isSandboxAt(readAddress(baseUrl, "the profile"))))) return [];
  return [`Sends with profile ${name} now reach real phones and cost money.`];
}
