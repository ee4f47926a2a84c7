import { configFolder, noFolder } from "./folders.ts";
import { changeStore } from "./store.ts";
import type { Store } from "./stored.ts";
import type { Context } from "../terminal/context.ts";

export async function changeProfiles(
  { host, presenter }: Pick<Context, "host" | "presenter">,
  edit: (store: Store) => Store,
): Promise<Store> {
  const folder = configFolder(host);
  if (folder === undefined) throw noFolder("credentials");
  return presenter.waitFor("Waiting to change the stored profiles", () => changeStore(folder, host, edit));
}
