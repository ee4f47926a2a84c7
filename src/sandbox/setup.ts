import { type FaultSpec, noFaults } from "./faults.ts";
import type { Tier } from "./rate-window.ts";

/** An API key that a sandbox knows; its prefix says whether it is charged. */
export interface SandboxKey {
  readonly key: string;
  readonly revoked: boolean;
  /** The addresses it may be used from; any where there are none. */
  readonly ips: readonly string[];
}

/** An approved sender ID. */
export interface SandboxSender {
  readonly name: string;
  /** 24 hex characters, in lower case. */
  readonly id: string;
}

/** The e-mail address and password of the account, or the names of the two in a request body. */
export interface AccountLogin {
  readonly email: string;
  readonly password: string;
}

/** The two forms of the send path that the interface's reference gives. */
export const sendPaths = ["/api/v1/sms/send", "/v1/sms/send"] as const;

/** One of the two. */
type SendPath = (typeof sendPaths)[number];

/** The account of a sandbox, as its file, its options and its control interface write it. */
export interface AccountSetup {
  readonly tier: Tier;
  /** Requests a minute, in place of the tier's; null for the tier's. */
  readonly rate: number | null;
  /** The balance. */
  readonly credits: number;
  readonly kesPerCredit: number;
  readonly keys: readonly SandboxKey[];
  readonly account: AccountLogin;
  /** The first is the default. */
  readonly senders: readonly SandboxSender[];
  readonly paths: readonly SendPath[];
  /** The names under which account credentials are taken in the body; null where they are not. */
  readonly bodyCredentials: AccountLogin | null;
}

/** The faults of a sandbox, and what decides whom they meet. */
export interface FaultSetup {
  readonly faults: FaultSpec;
  readonly seed: number;
}

/** All that a sandbox can be told. */
export interface Setup extends AccountSetup, FaultSetup {}

/** The sandbox that nothing was told. */
export const defaultSetup: Setup = {
  tier: "free",
  rate: null,
  credits: 1000,
  kesPerCredit: 0.8,
  keys: ["sk_test_sandbox", "sk_live_sandbox"].map((key) => ({ key, revoked: false, ips: [] })),
  account: { email: "sandbox@example.com", password: "sandbox" },
  senders: ["SANDBOX", "ACME"].map((name, place) => ({ name, id: senderIdAt(place) })),
  paths: ["/api/v1/sms/send"],
  bodyCredentials: null,
  faults: noFaults,
  seed: 0,
};

/** The identifier of a sender ID that was given none, by its place among the others. */
export function senderIdAt(place: number): string {
  return `5e4de${(0xa1 + place).toString(16).padStart(19, "0")}`;
}

/** A setup with what is told on top of it. A tier brings its own rate, unless another is told with it. */
export function changed<T extends AccountSetup>(setup: T, told: Partial<T>): T {
  return { ...setup, ...(told.tier !== undefined && { rate: null }), ...told };
}
