import { SmsError } from "../errors.ts";
import { openGuards, type OpenGuards, readingLists } from "../guards/open.ts";
import { profileOf, readShared } from "../profiles/defaults.ts";
import type { ChosenProfile } from "../profiles/resolve.ts";
import type { Context } from "../terminal/context.ts";
import { type Destination, openDestination } from "./destination.ts";
import type { SendOptions } from "./options.ts";

/** Who sends and pays, what every message has, and what may hold one back. Any way of sending begins with it. */
export interface Send extends AsyncDisposable {
  readonly options: SendOptions;
  readonly context: Context;
  /** The profile in use, whose lists and record hold in a sandbox as well. */
  readonly own: ChosenProfile;
  /** The profile that pays; undefined for a sandbox. */
  readonly chosen: ChosenProfile | undefined;
  readonly shared: Awaited<ReturnType<typeof readShared>>;
  readonly guards: OpenGuards;
  /** Undefined for a dry run of somebody who has not logged in. */
  readonly destination: Destination | undefined;
}

/** One that is no dry run. */
export interface RealSend extends Send {
  readonly destination: Destination;
}

export function isReal(send: Send): send is RealSend {
  return !send.options.dryRun && send.destination !== undefined;
}

/** Throws if the profile, a list of numbers, the credentials or the base URL cannot be used. */
export async function openSend(options: SendOptions, context: Context, sandboxCredits?: number): Promise<Send> {
  const { host, presenter } = context;
  const { own, chosen, defaults } = profileOf(options, host);
  const shared = await readShared(options, defaults);
  const { country } = shared;
  const guards = await presenter.waitFor(readingLists, () => openGuards({ options, own, chosen, country, host }));
  const destination = await destinationOf(options, chosen, context, sandboxCredits);
  const close = async () => destination?.close();
  return { options, context, own, chosen, shared, guards, destination, [Symbol.asyncDispose]: close };
}

async function destinationOf(
  { expect, dryRun }: SendOptions,
  chosen: ChosenProfile | undefined,
  context: Context,
  sandboxCredits: number | undefined,
): Promise<Destination | undefined> {
  try {
    return await openDestination({ expect, chosen }, context, sandboxCredits);
  } catch (error) {
    const isUnknown = error instanceof SmsError && ["NO_CREDENTIALS", "NO_BASE_URL"].includes(error.errorCode);
    if (isUnknown && dryRun && expect === undefined) return undefined;
    throw error;
  }
}
