import { type FaultSpec, noFaults } from "./faults.ts";
import type { Tier } from "./rate-window.ts";

/** An API key; its prefix says whether it is a test key or a live key. */
export interface SandboxKey {
  readonly key: string;
  readonly revoked: boolean;
  /** The IP addresses that may use it; any if empty. */
  readonly ips: readonly string[];
}

/** An approved sender ID. */
export interface SandboxSender {
  readonly name: string;
  /** 24 lower-case hex characters. */
  readonly id: string;
}

/** The e-mail address and password of the account, or their names in a request body. */
export interface AccountLogin {
  readonly email: string;
  readonly password: string;
}

/** Both forms of the send path (docs/service-interface.md, 4.1, rule 1). */
export const sendPaths = ["/api/v1/sms/send", "/v1/sms/send"] as const;

type SendPath = (typeof sendPaths)[number];

/** The account in config files and at `/_sandbox/account`. */
export interface AccountSetup {
  readonly tier: Tier;
  /** Requests per minute; null for the tier's rate. */
  readonly rate: number | null;
  readonly credits: number;
  readonly kesPerCredit: number;
  readonly keys: readonly SandboxKey[];
  readonly account: AccountLogin;
  /** The first is the default. */
  readonly senders: readonly SandboxSender[];
  readonly paths: readonly SendPath[];
  /** The body fields for account credentials; null to refuse them in the body. */
  readonly bodyCredentials: AccountLogin | null;
}

/** The faults, and the seed that decides which sends they hit. */
export interface FaultSetup {
  readonly faults: FaultSpec;
  readonly seed: number;
}

export interface Setup extends AccountSetup, FaultSetup {}

export const defaultSetup: Setup = {
  tier: "free",
  rate: null,
  credits: 1000,
  kesPerCredit: 0.8,
  keys: ["sk_test_sandbox", "sk_live_sandbox"].map((key) => ({ key, revoked: false, ips: [] })),
  account: { email: "sandbox@example.com", password: "sandbox" },
  senders: ["SANDBOX", "ACME"].map((name, index) => ({ name, id: senderIdAt(index) })),
  paths: ["/api/v1/sms/send"],
  bodyCredentials: null,
  faults: noFaults,
  seed: 0,
};

/** The default identifier of the sender ID at that index. */
export function senderIdAt(index: number): string {
  return `5e4de${(0xa1 + index).toString(16).padStart(19, "0")}`;
}

/** The setup with changes applied. A change of tier resets the rate, unless it has one too. */
export function changed<T extends AccountSetup>(setup: T, changes: Partial<T>): T {
  return { ...setup, ...(changes.tier !== undefined && { rate: null }), ...changes };
}
