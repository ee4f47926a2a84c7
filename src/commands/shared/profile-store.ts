import type { Host } from "../../host.ts";
import { configFolder } from "../../profiles/folders.ts";
import { changeStore } from "../../profiles/store.ts";
import type { Store } from "../../profiles/stored.ts";

/** Changes the stored profiles and returns the new store. Throws as `changeStore` does. */
export function changeProfiles(host: Host, edit: (store: Store) => Store): Promise<Store> {
  return changeStore(configFolder(host.environment, host.platform, host.home()), host, edit);
}

/** Returns the current time in ISO 8601, UTC. */
export function timestamp({ now }: Host): string {
  return new Date(now()).toISOString();
}
