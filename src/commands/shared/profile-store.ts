import type { Host } from "../../host.ts";
import { configFolder } from "../../profiles/folders.ts";
import { changeStore } from "../../profiles/store.ts";
import type { Store } from "../../profiles/stored.ts";

/** Changes this person's stored profiles, and gives what they have become. Throws as `changeStore` does. */
export function changeProfiles(host: Host, edit: (store: Store) => Store): Promise<Store> {
  return changeStore(configFolder(host.environment, host.platform, host.home()), host, edit);
}

/** The moment, as the store keeps it: ISO 8601 in UTC. */
export function timestamp({ now }: Host): string {
  return new Date(now()).toISOString();
}
