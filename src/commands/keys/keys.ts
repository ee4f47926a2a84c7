import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { addNewKey } from "./add.ts";
import type { KeysVerb } from "./definition.ts";
import { listKeys } from "./list.ts";
import { removeStoredKey } from "./remove.ts";
import { renameStoredKey } from "./rename.ts";
import { rotateStoredKey } from "./rotate.ts";
import { useStoredKey } from "./use.ts";
import { verifyKey } from "./verify.ts";

/** Carries out a verb of `sms keys`. */
export async function runKeys(verb: KeysVerb, options: GlobalOptions, context: Context): Promise<void> {
  switch (verb.kind) {
    case "list":
      return listKeys(options, context);
    case "add":
      return addNewKey(verb.name, options, context);
    case "use":
      return useStoredKey(verb.name, options, context);
    case "rename":
      return renameStoredKey(verb.from, verb.to, options, context);
    case "verify":
      return verifyKey(verb.name, options, context);
    case "rotate":
      return rotateStoredKey(verb.name, options, context);
    case "remove":
      return removeStoredKey(verb.name, options, context);
  }
}
