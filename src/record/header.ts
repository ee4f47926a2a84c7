import { isObject, isText, oneOf, optional, shape } from "../json.ts";
import type { Mode, Payer } from "../service/credentials.ts";
import { profileOption } from "../words/shell-word.ts";
import { type SmsError, usageError } from "../errors.ts";
import type { PlanSummary } from "./plan.ts";

/** No resume may change these. */
export interface RunBinding {
  readonly baseUrl: string;
  readonly path: string;
  /** This is the fingerprint of the account, or of the first key in the line of rotations. */
  readonly credentials: string;
  readonly mode: Mode;
}

/** The header is written once, before anything is sent. */
export interface RunHeader {
  readonly version: 1;
  readonly name: string;
  readonly started: string;
  readonly source?: string;
  readonly binding: RunBinding;
  readonly payer?: Payer;
  readonly plan: PlanSummary;
  /** The options that the run began with; a resume may give others. The hours have their zone. */
  readonly options: Readonly<Record<string, unknown>>;
  /** An alert to people who were typed, or to a list that --to names, must not get lost. */
  readonly isTyped?: true;
  readonly isRehearsal?: true;
  /** Nobody pays for what a sandbox took. */
  readonly isSandbox?: true;
  readonly profile?: string;
  /** The list's own name of its column of numbers. */
  readonly toColumn?: string;
  /** Somebody agreed to send what others had sent, so a resume looks for newer repeats only. */
  readonly isRepeat?: true;
}

export function modeOfRun({ binding, isSandbox }: Pick<RunHeader, "binding" | "isSandbox">): Mode {
  return isSandbox ? "sandbox" : binding.mode;
}

export interface RunDestination extends RunBinding {
  readonly payer?: Payer;
  /** One of these profiles, by base URL, may replace this destination. */
  readonly profiles?: ReadonlyMap<string, string>;
}

export function bindingOf({ baseUrl, path, credentials, mode }: RunDestination): RunBinding {
  return { baseUrl, path, credentials, mode };
}

/** The words follow "began with another". */
export function bindingChanges({ binding: was }: Pick<RunHeader, "binding">, is: RunDestination): readonly string[] {
  return [
    ...(was.baseUrl === is.baseUrl ? [] : [`base URL (${was.baseUrl}, now ${is.baseUrl})`]),
    ...(was.path === is.path ? [] : [`path (${was.path}, now ${is.path})`]),
    ...(was.credentials === is.credentials ? [] : ["key or account"]),
    ...(was.mode === is.mode ? [] : [`mode (${was.mode}, now ${is.mode})`]),
  ];
}

export function refuseChanges(header: RunHeader, destination: RunDestination): void {
  const changes = bindingChanges(header, destination);
  if (changes.length === 0) return;
  const message = `the run ${header.name} began with another ${changes.join(", another ")}`;
  const { baseUrl } = header.binding;
  const profile = baseUrl === destination.baseUrl ? undefined : destination.profiles?.get(baseUrl);
  if (profile !== undefined) throw runChanged(message, `\`${profileOption(profile).trim()}\` is at ${baseUrl}`);
  // Only at the same base URL does `--repeated skip` know who had the text.
  const advice = `, or send the list under another name: \`--run ${header.name}-2 --repeated skip\` leaves out who had this text`;
  throw runChanged(message, `use the same service and key${baseUrl === destination.baseUrl ? advice : ""}`);
}

export function runChanged(message: string, hint: string): SmsError {
  return usageError("RUN_CHANGED", message, hint);
}

export const isBinding = shape<RunBinding>({ baseUrl: isText, path: isText, credentials: isText, mode: isText });

export const isHeader = shape<RunHeader>({
  version: oneOf(1),
  name: isText,
  started: isText,
  source: optional(isText),
  options: isObject,
  profile: optional(isText),
  toColumn: optional(isText),
  isRepeat: optional(oneOf(true)),
  isTyped: optional(oneOf(true)),
  isRehearsal: optional(oneOf(true)),
  isSandbox: optional(oneOf(true)),
  binding: isBinding,
  payer: optional(shape<Payer>({ account: isText, key: isText, profile: optional(isText) })),
  plan: shape<PlanSummary>({
    messages: Number.isInteger,
    segments: Number.isInteger,
    digests: shape<PlanSummary["digests"]>({ file: isText, messages: isText, leftOut: isText }),
  }),
});
