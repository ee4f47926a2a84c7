import type { Mode } from "../../message/credentials.ts";
import { agoText, alignedLines, kes, plural } from "../../output/text.ts";
import type { View } from "../../output/presenter.ts";
import { visible } from "../../output/redact.ts";

/** What the next send would use. Dates are ISO 8601 in UTC. */
export interface Status {
  readonly profile: string;
  readonly baseUrl: string;
  readonly path: string;
  /** Null for a key command, which has not run. */
  readonly mode: Mode | null;
  readonly credentials:
    | { readonly kind: "account"; readonly email: string }
    | { readonly kind: "command"; readonly command: string }
    /** Name and age are null for a key that is not stored. */
    | {
        readonly kind: "key";
        readonly name: string | null;
        readonly shown: string;
        readonly ageDays: number | null;
      };
  /** Where the credentials came from, in words. */
  readonly credentialsSource: string;
  /** Variables of the environment, or `profile`. */
  readonly sources: { readonly baseUrl: string; readonly credentials: string };
  readonly balance: { readonly credits: number; readonly at: string } | undefined;
  readonly price: { readonly kesPerCredit: number; readonly at: string } | undefined;
  /** The lists that all recipients must be in: files, or numbers with commas. */
  readonly onlyTo: readonly { readonly source: string; readonly list: string }[];
  /** The hours of live sends, if the profile has any, and their time zone. */
  readonly hours: { readonly hours: string; readonly zone: string | null } | undefined;
}

/** Shows a status, to a person below a heading if there is one. `now` is in milliseconds. */
export function statusView(status: Status, now: number, heading?: string): View {
  return {
    json: () => statusJson(status),
    quiet: () => [],
    text: (page) =>
      (heading === undefined ? "" : `${page.paint.good("✓")} ${heading}\n`) +
      alignedLines(page, statusLines(status, now)),
  };
}

function statusJson({ profile, baseUrl, path, mode, credentials, sources, balance, price, onlyTo, hours }: Status) {
  const { kind, ...shown } = credentials;
  return {
    profile,
    baseUrl,
    path,
    mode,
    key: kind === "key" ? shown : null,
    ...(credentials.kind === "command" && { keyCommand: credentials.command }),
    sources,
    balance: balance ?? null,
    kesPerCredit: price?.kesPerCredit ?? null,
    ...(onlyTo.length > 0 && { onlyTo }),
    ...hours,
  };
}

function statusLines(status: Status, now: number): readonly (readonly [string, string])[] {
  const { profile, baseUrl, path, mode, credentials, credentialsSource, sources, balance, price, hours } = status;
  const ago = (at: string) => agoText(Date.parse(at), now);
  return [
    ["Profile", visible(profile)],
    ["Base URL", `${baseUrl}${path} (from ${sources.baseUrl})`],
    [
      { account: "Account", command: "Key command", key: "Key" }[credentials.kind],
      `${visible(credentialsText(credentials))} (from ${visible(credentialsSource)})`,
    ],
    ["Mode", mode ?? "that of the key which the command prints"],
    ["Balance", balance === undefined ? "not known yet" : `${plural(balance.credits, "credit")}, ${ago(balance.at)}`],
    ...status.onlyTo.map(({ source, list }) => ["Only to", `${visible(list)} (from ${source})`] as const),
    ...(hours === undefined
      ? []
      : [["Hours", visible(`${hours.hours} in ${hours.zone ?? "no known time zone"}, for live sends`)] as const]),
    ["Price", price === undefined ? "not known yet" : `${kes(price.kesPerCredit)} a credit, ${ago(price.at)}`],
  ];
}

function credentialsText(credentials: Status["credentials"]): string {
  if (credentials.kind === "account") return credentials.email;
  if (credentials.kind === "command") return credentials.command;
  const { shown, ageDays } = credentials;
  return ageDays === null ? shown : `${shown}, ${plural(ageDays, "day")} old`;
}
