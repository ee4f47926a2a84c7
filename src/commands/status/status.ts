import { statusView } from "../../output/status.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { statusOf } from "../../profiles/status.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { warnOfRotation } from "../shared/rotation.ts";

/** Shows what the next send would use. Throws what would stop that send: no credentials, no base URL, an unsafe store. */
export async function status(options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  await showStatus(options, { host, presenter }, undefined);
}

/** Shows the status below a heading. */
export async function showStatus(
  { profile }: GlobalOptions,
  { host, presenter }: Pick<Context, "host" | "presenter">,
  heading: string | undefined,
): Promise<void> {
  const found = await statusOf(chooseProfile(loadStore(host), host.environment, profile), host);
  for (const warning of found.warnings) presenter.warn(warning);
  const { credentials } = found;
  if (credentials.kind === "key" && credentials.name !== null && credentials.ageDays !== null) {
    warnOfRotation(credentials.name, credentials.ageDays, profile, presenter);
  }
  presenter.show(statusView(found, host.now(), heading));
}
