import { doneView } from "../../output/done.ts";
import { keyFromCommand } from "../../profiles/key-command.ts";
import { keyEntries, storedKey } from "../../profiles/keys.ts";
import { chooseProfile, loadStore, ownAddress } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import { announceKeyCommand } from "../shared/destination.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { verifyCredentials } from "../shared/verification.ts";

/** Asks the service whether a key is valid: the named one, or the one in use, which a command may print. */
export async function verifyKey(named: string | undefined, options: GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  const inUse = chosen.profile?.credentials;
  const isCommand = named === undefined && inUse?.kind === "command";
  const source = `profile ${chosen.name}`;
  if (isCommand) announceKeyCommand(source, presenter);
  const { name, key } = isCommand
    ? { name: undefined, key: await keyFromCommand(inUse.command, source, host) }
    : storedKey(chosen, named);
  const address = ownAddress(chosen, host.environment);
  const what = name === undefined ? "the key command" : `key ${JSON.stringify(name)}`;
  await verifyCredentials({ address, credentials: { kind: "key", key } }, what, context);
  const valid = name === undefined ? "The key of the key command" : `Key ${name}`;
  presenter.show(doneView(keyEntries(chosen.profile, host), `${valid} is valid.`));
}
