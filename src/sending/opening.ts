import { SmsError } from "../errors.ts";
import { openGate } from "../guards/gate.ts";
import type { Guard } from "../guards/guard.ts";
import { openRowGuards, type OpenGuards, readingLists } from "../guards/open.ts";
import { profilesOf, readShared } from "../profiles/defaults.ts";
import { refuseHoldingBack } from "../profiles/environment.ts";
import { type ProfileInUse, NotLoggedInError } from "../profiles/resolve.ts";
import { membersOf, type Message } from "../message/fields.ts";
import { wireRequest } from "../service/request.ts";
import { userAgent } from "../version.ts";
import type { Context } from "../terminal/context.ts";
import { type Destination, openDestination } from "./destination.ts";
import type { SendOptions } from "./options.ts";

export interface Send extends AsyncDisposable {
  readonly options: SendOptions;
  readonly context: Context;
  /** The lists and the record of this profile apply in a sandbox as well. */
  readonly profile: ProfileInUse;
  /** Undefined for a sandbox, where nobody pays. */
  readonly payingProfile: ProfileInUse | undefined;
  readonly shared: Awaited<ReturnType<typeof readShared>>;
  readonly guards: OpenGuards;
  /** Undefined for a dry run of somebody who has not logged in. */
  readonly destination: Destination | undefined;
}

export interface RealSend extends Send {
  readonly destination: Destination;
}

export function isToBeSent<AnySend extends Send>(send: AnySend): send is AnySend & RealSend {
  return !send.options.dryRun && send.destination !== undefined;
}

/** No service is asked. */
type LocalSend = Omit<Send, "destination" | typeof Symbol.asyncDispose>;

/** Throws if the profile, a list of numbers, the credentials or the base URL cannot be used. */
export async function openSend(options: SendOptions, context: Context, sandboxCredits?: number): Promise<Send> {
  return addDestination(await beginSend(options, context), sandboxCredits);
}

export async function beginSend(options: SendOptions, context: Context, guards?: OpenGuards): Promise<LocalSend> {
  const { host, presenter } = context;
  refuseHoldingBack(host.environment);
  const { profile, payingProfile } = profilesOf(options, host);
  const shared = await readShared(options, host.environment, profile);
  const { country } = shared;
  const open = () =>
    presenter.waitFor(readingLists, () => openRowGuards({ options, profile, payingProfile, country, host }));
  return { options, context, profile, payingProfile, shared, guards: guards ?? (await open()) };
}

export async function addDestination(local: LocalSend, sandboxCredits?: number): Promise<Send> {
  const { payingProfile, context } = local;
  const { expect, dryRun } = local.options;
  let destination: Destination | undefined;
  try {
    destination = await openDestination(payingProfile, expect, context, sandboxCredits);
  } catch (error) {
    const hasNoAddress = error instanceof SmsError && error.errorCode === "NO_BASE_URL";
    const isUnknown = hasNoAddress || error instanceof NotLoggedInError;
    if (!isUnknown || !dryRun || expect !== undefined) throw error;
  }
  return { ...local, destination, [Symbol.asyncDispose]: async () => destination?.close() };
}

/** Each delivery of this send gives the engine these. */
export function commonParts({ destination, context }: RealSend, allGuards: readonly Guard[]) {
  const { host, redactor } = context;
  return {
    ...host,
    request: (message: Message) => wireRequest(destination, membersOf(message), userAgent),
    gate: openGate(allGuards, host.wallClock),
    interruption: host.interruption(),
    redact: redactor.redactForeign,
  };
}
