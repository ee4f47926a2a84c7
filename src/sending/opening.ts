import { SmsError } from "../errors.ts";
import { openGate } from "../guards/gate.ts";
import type { Guard } from "../guards/guard.ts";
import { checkGuardOptions, openGuards, openRowGuards, type OpenRowGuards, readingLists } from "../guards/open.ts";
import { ageInDays } from "../key.ts";
import { profilesOf, readShared, warnOfRotation } from "../profiles/defaults.ts";
import { refuseHoldingBack } from "../profiles/environment.ts";
import { historyOf, openRecord } from "../profiles/record.ts";
import { type ProfileInUse, NotLoggedInError } from "../profiles/resolve.ts";
import type { HistoryKeeper } from "../record/history.ts";
import { membersOf, type Message } from "../message/fields.ts";
import { wireRequest } from "../service/request.ts";
import { userAgent } from "../version.ts";
import type { Context } from "../terminal/context.ts";
import { type Destination, liveOf, type NotLoggedIn, openDestination, readExpectation } from "./destination.ts";
import type { Once } from "./once-key.ts";
import { isRun, optionsHoldingBack, type SendOptions } from "./options.ts";

/** What the messages of a command share. Nobody is asked for a key, and no service is asked. */
export interface LocalSend {
  readonly options: SendOptions;
  readonly context: Context;
  /** The lists and the record of this profile apply in a sandbox as well. */
  readonly profile: ProfileInUse;
  /** Undefined for a sandbox, where nobody pays. */
  readonly payingProfile: ProfileInUse | undefined;
  readonly shared: Awaited<ReturnType<typeof readShared>>;
  readonly rowGuards: OpenRowGuards;
  /** Undefined in a sandbox, or if the history is turned off. */
  readonly history: HistoryKeeper | undefined;
}

interface OpenedSend extends LocalSend, AsyncDisposable {
  readonly guards: readonly Guard[];
  readonly once: Once | undefined;
}

export interface Send extends OpenedSend {
  readonly kind: "send";
  readonly destination: Destination;
}

export interface DryRun extends OpenedSend {
  readonly kind: "dry-run";
  readonly destination: Destination | NotLoggedIn;
}

export type AnySend = Send | DryRun;

/** `connect` makes it a `Send`. Throws if the profile, an option or a list of numbers cannot be used. */
export async function openSend(options: SendOptions, context: Context): Promise<LocalSend> {
  const { host, presenter } = context;
  refuseHoldingBack(host.environment, optionsHoldingBack);
  readExpectation(host);
  if (options.once !== undefined) (await import("./once-key.ts")).checkOnceKey(options.once);
  const { profile, payingProfile } = profilesOf(options, host);
  const shared = await readShared(options, host.environment, profile);
  const input = { options, profile, payingProfile, shared, context };
  // Nobody pays in a sandbox of this process, so nothing of it is kept.
  const history = payingProfile && (await historyOf(host, payingProfile));
  await checkGuardOptions(input);
  const rowGuards = await presenter.waitFor(readingLists, () => openRowGuards(input));
  for (const warning of rowGuards.guardsOfLists.flatMap(({ warnings = [] }) => warnings)) presenter.insist(warning);
  return { ...input, rowGuards, history };
}

/**
 * Finds credentials, guards and record; the delivery opens the network connection. Throws if the credentials, the base URL, a
 * guard or the record cannot be used.
 */
export async function connect(local: LocalSend): Promise<AnySend> {
  const { options, payingProfile, rowGuards, context } = local;
  const { host } = context;
  const destination = await destinationOf(local);
  const close = async () => (destination.kind === "service" ? destination.close() : undefined);
  try {
    if (destination.kind === "service") warnOfAge(destination, local);
    const guards = await openGuards(rowGuards, { ...local, live: liveOf(destination) });
    if (payingProfile !== undefined) await (await openRecord(host, payingProfile))?.requireWritable();
    const isUnderKey = options.once !== undefined && destination.kind === "service";
    const once = isUnderKey ? await (await import("./once-key.ts")).openOnce(local, destination) : undefined;
    const connected = { ...local, guards, once, [Symbol.asyncDispose]: close };
    if (options.dryRun || destination.kind === "not-logged-in") return { ...connected, kind: "dry-run", destination };
    return { ...connected, kind: "send", destination };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A run with `--sandbox` must not run out of credits. */
const sandboxCredits = { run: 1_000_000_000, message: 1000 } as const;

async function destinationOf({ options, payingProfile, context }: LocalSend): Promise<Destination | NotLoggedIn> {
  const { expect, dryRun } = options;
  const credits = sandboxCredits[isRun(options) ? "run" : "message"];
  try {
    return await openDestination(payingProfile, expect, context, credits);
  } catch (error) {
    const hasNoAddress = error instanceof SmsError && error.errorCode === "NO_BASE_URL";
    const isUnknown = hasNoAddress || error instanceof NotLoggedInError;
    if (!isUnknown || !dryRun || expect !== undefined) throw error;
    return { kind: "not-logged-in" };
  }
}

/** A script cannot rotate a key, and its output should not change with the date. */
function warnOfAge({ key }: Destination, { options, context: { host, presenter } }: LocalSend): void {
  if (key === undefined || host.terminal() === undefined) return;
  warnOfRotation(key.name, ageInDays(key.added, host.now()), options.profile, presenter);
}

/** Each delivery of this send gives the engine these. */
export function commonParts({ destination, guards, context }: Send) {
  const { host, redactor } = context;
  return {
    ...host,
    request: (message: Message) => wireRequest(destination, membersOf(message), userAgent),
    gate: openGate(guards, host.wallClock),
    interruption: host.interruption(),
    redact: redactor.redactForeign,
  };
}
