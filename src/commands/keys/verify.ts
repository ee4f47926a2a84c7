import { doneView } from "../../output/done.ts";
import { keyAddress, keyEntries, storedKey } from "../../profiles/keys.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { verifyCredentials } from "../shared/verification.ts";

/** Asks the service whether a stored key is valid: the named one, or the one in use. */
export async function verifyKey(named: string | undefined, options: GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  const { name, key } = storedKey(chosen, named);
  const service = {
    address: keyAddress(chosen, host.environment),
    credentials: { kind: "key", key },
  } as const;
  await verifyCredentials(service, `key ${JSON.stringify(name)}`, context);
  presenter.show(doneView(keyEntries(chosen.profile, host), `Key ${name} is valid.`));
}
