import { modeOf } from "../../core/credentials.ts";
import { ageInDays, rotationWarning, shownKey } from "../../core/key.ts";
import { alignedLines } from "../../output/aligned.ts";
import { paintFor } from "../../output/paint.ts";
import { jsonLine, visible } from "../../output/sanitize.ts";
import { kes, plural } from "../../output/text.ts";
import { stateFolder } from "../../profiles/folders.ts";
import {
  chooseProfile,
  credentialsSource,
  loadStore,
  resolve,
  type Resolved,
} from "../../profiles/resolve.ts";
import { payerId, readState, type State } from "../../profiles/state.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";

/** Shows what the next send would use. Throws what would stop it: no credentials, no base URL, a refused store. */
export async function runStatus(options: GlobalOptions, context: Context): Promise<void> {
  await showStatus(options, context, undefined);
}

/** The same under a heading, for the commands that change it. */
export async function showStatus(
  options: GlobalOptions,
  { host }: Context,
  heading: string | undefined,
): Promise<void> {
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  const resolved = await resolve(host.environment, chosen);
  const folder = stateFolder(host.environment, host.platform, host.home());
  const state = readState(folder, payerId(resolved.address, resolved.credentials));
  if (options.json) {
    host.stdout.write(jsonLine(statusJson(resolved, state, host.now())));
    return;
  }
  if (options.quiet) return;
  const paint = await paintFor(host.stdout.hasColor() && options.color);
  if (heading !== undefined) host.stdout.write(`${paint.good("✓")} ${heading}\n`);
  host.stdout.write(alignedLines(paint, statusLines(resolved, state, host.now())));
  const warning =
    resolved.key && rotationWarning(resolved.key.name, ageInDays(resolved.key.added, host.now()));
  if (warning !== undefined) host.stderr.write(`${paint.doubtful("Warning:")} ${visible(warning)}\n`);
}

function statusJson(resolved: Resolved, { balance, price }: State, now: number) {
  const { profile, address, path, credentials, key, sources } = resolved;
  return {
    profile,
    baseUrl: address.origin + address.basePath,
    path,
    mode: modeOf(credentials),
    key:
      credentials.kind === "account"
        ? null
        : {
            name: key?.name ?? null,
            shown: shownKey(credentials.key.secret),
            ageDays: key === undefined ? null : ageInDays(key.added, now),
          },
    sources,
    balance: balance ?? null,
    kesPerCredit: price?.kesPerCredit ?? null,
  };
}

function statusLines(resolved: Resolved, { balance, price }: State, now: number) {
  const { profile, address, path, credentials, key, sources } = resolved;
  const shown =
    credentials.kind === "account"
      ? credentials.email
      : `${shownKey(credentials.key.secret)}${key === undefined ? "" : `, ${plural(ageInDays(key.added, now), "day")} old`}`;
  const known = (at: string) => `${plural(ageInDays(at, now), "day")} ago`;
  return [
    ["Profile", visible(profile)],
    ["Base URL", `${address.origin}${address.basePath}${path} (from ${sources.baseUrl})`],
    [
      credentials.kind === "account" ? "Account" : "Key",
      `${visible(shown)} (from ${visible(credentialsSource(resolved))})`,
    ],
    ["Mode", modeOf(credentials)],
    [
      "Balance",
      balance === undefined ? "not known yet" : `${plural(balance.credits, "credit")}, ${known(balance.at)}`,
    ],
    [
      "Price",
      price === undefined ? "not known yet" : `${kes(price.kesPerCredit)} a credit, ${known(price.at)}`,
    ],
  ] as const;
}
