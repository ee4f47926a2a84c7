import { learnCredentials, learnProfile } from "../profiles/secrets.ts";
import { type Address, baseUrlOf, readAddress, sendPath } from "../service/address.ts";
import { isLive, type Mode, modeOf } from "../service/credentials.ts";
import { ageInDays, readKey } from "../key.ts";
import { variable } from "../profiles/environment.ts";
import { usageError } from "../errors.ts";
import { type Host, trustsAnyCertificate } from "../host.ts";
import { type ProfileInUse, credentialsSource, resolve, type Resolved } from "../profiles/resolve.ts";
import { lastingCredentialsId, credentialsId, payerOf } from "../profiles/payer.ts";
import type { AccountStanding } from "../record/account.ts";
import type { RunDestination } from "../record/header.ts";
import type { Context } from "../terminal/context.ts";
import { notedOf } from "../profiles/record.ts";
import { keyKind } from "./option-values.ts";
import { profileOption } from "../words/shell-word.ts";

/** Only a dry run goes without a login. */
export interface NotLoggedIn {
  readonly kind: "not-logged-in";
}

export interface Destination extends Resolved {
  readonly kind: "service";
  readonly mode: Mode;
  /** True for `--sandbox`, and at `sms sandbox` unless the key is a test key, for which no service is asked. */
  readonly isSandbox: boolean;
  readonly proxy: URL | undefined;
  readonly close: () => Promise<void>;
}

/** Throws a usage error if the key is not of the expected kind. */
export async function openDestination(
  profile: ProfileInUse | undefined,
  expect: Expectation,
  { host, redactor, presenter }: Context,
  sandboxCredits: number,
): Promise<Destination> {
  if (profile === undefined) {
    requireExpected(expect, host, "test", "the sandbox's", "leave --sandbox or the other out");
    return sandboxDestination(host, sandboxCredits);
  }
  learnProfile(redactor, profile);
  const service = await resolve(host, profile, presenter);
  learnCredentials(redactor, service.credentials);
  for (const warning of service.warnings) presenter.warn(warning);
  const mode = modeOf(service.credentials);
  const isStored = service.sources.credentials === "profile";
  const way = isStored ? "" : "give another key in its place, or unset it to use a stored one: ";
  const at = isStored ? profileOption(profile.name) : "";
  const hint = `${way}\`sms keys list${at}\` shows your keys, and \`sms keys add NAME${at}\` adds one`;
  requireExpected(expect, host, mode, `${credentialsSource(service)} (${mode})`, hint);
  const proxy = await allowedProxy(service, host.environment);
  const isSandbox = mode !== "test" && (await isSandboxAt(service.address, host.interruption().stop));
  return { ...service, kind: "service", mode, isSandbox, proxy, close: async () => {} };
}

/** Undefined if no live key is known to pay. */
export function liveOf(destination: Destination | NotLoggedIn): Destination | undefined {
  return destination.kind === "service" && isLive(destination.mode) ? destination : undefined;
}

/** Nobody pays for a message that a sandbox took, even with a live key. */
export function recordedMode({ mode, isSandbox }: Pick<Destination, "mode" | "isSandbox">): Mode {
  return isSandbox ? "sandbox" : mode;
}

/** `--sandbox` starts a sandbox in this process; `sms sandbox` is a service like any other. */
export function isInProcess({ mode }: Pick<Destination, "mode">): boolean {
  return mode === "sandbox";
}

/** Only an address of this machine is asked. */
export async function isSandboxAt(address: Address, stop?: AbortSignal): Promise<boolean> {
  return address.isLoopback && (await import("./sandbox-client.ts")).answersAsSandbox(address, stop);
}

/** If a secret goes unencrypted only because the request stays on this machine, then no proxy may get the secret. */
export async function allowedProxy(
  { address, credentials }: Pick<Resolved, "address" | "credentials">,
  environment: Host["environment"],
): Promise<URL | undefined> {
  const isOpen = address.origin.startsWith("http:") || trustsAnyCertificate(environment);
  const staysHere = address.isLoopback && isOpen && modeOf(credentials) !== "test";
  if (staysHere || !Object.keys(environment).some((name) => /_proxy$/i.test(name))) return undefined;
  return (await import("../service/tunnel.ts")).proxyFor(address.origin, environment);
}

async function sandboxDestination(host: Host, credits: number): Promise<Destination> {
  const { startSandbox } = await import("../sandbox/server.ts");
  const sandbox = await startSandbox({
    rate: Infinity,
    credits,
    port: 0,
    isPrivate: true,
    takesAnySender: true,
    now: host.now,
    random: host.random,
  });
  const source = "the sandbox";
  return {
    kind: "service",
    profile: source,
    address: readAddress(sandbox.url, source),
    path: sendPath,
    // A sandbox shows what a live send would cost, so the key is live.
    credentials: { kind: "key", key: readKey("sk_live_sandbox", source) },
    sources: { baseUrl: source, credentials: source },
    otherService: undefined,
    warnings: [],
    mode: "sandbox",
    isSandbox: true,
    proxy: undefined,
    close: sandbox.close,
  };
}

type Expectation = ReturnType<typeof keyKind> | undefined;

/** Throws a usage error for what is no kind of key. */
export function readExpectation({ environment }: Pick<Host, "environment">): Expectation {
  const kind = variable(environment, "SMS_EXPECT");
  return kind === undefined ? undefined : keyKind(kind, undefined, "SMS_EXPECT");
}

function requireExpected(option: Expectation, host: Host, mode: Mode, key: string, hint: string): void {
  const ofEnvironment = readExpectation(host);
  const expectations = [
    [option, `--expect ${option}`],
    [ofEnvironment, `SMS_EXPECT=${ofEnvironment}`],
  ] as const;
  for (const [kind, source] of expectations)
    if (kind !== undefined && kind !== mode)
      throw usageError("UNEXPECTED_KEY", `${source} asks for a ${kind} key, and ${key} is not one`, hint);
}

/** A resume of the run, or the same key of `--once` again, must not change these. */
export function runDestination(destination: Destination, profile: ProfileInUse | undefined): RunDestination {
  const { address, path, credentials, mode } = destination;
  const payer = payerOf(destination, profile);
  // Each sandbox has an address of its own, but a key of `--once` is the same in any of them.
  if (isInProcess(destination)) return { baseUrl: mode, path, credentials: mode, payer, mode };
  const lasting = lastingCredentialsId(address, credentials, profile);
  return { baseUrl: baseUrlOf(address), path, credentials: lasting, payer, mode };
}

export async function standingOf(
  payer: Pick<Resolved, "address" | "credentials"> | NotLoggedIn,
  host: Host,
  profile: ProfileInUse | undefined,
) {
  const standing: AccountStanding =
    "address" in payer ? await notedOf(credentialsId(payer.address, payer.credentials), host, profile) : {};
  const { price, balance } = standing;
  const ageDays = ({ at }: { readonly at: string }) => ageInDays(at, host.now());
  return {
    price: price && { kesPerCredit: price.kesPerCredit, ageDays: ageDays(price) },
    balance: balance && { ...balance, ageDays: ageDays(balance) },
  };
}
