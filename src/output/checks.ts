import { endings, type ErrorKind } from "../errors.ts";
import { fitted } from "./cells.ts";
import type { Page, View } from "./presenter.ts";

/** The parts of `sms status --check`, in their order, and how a person reads them. */
const labels = {
  configuration: "Configuration",
  reach: "Reach",
  tls: "TLS",
  credentials: "Credentials",
  rotation: "Rotation",
  "credentials-folder": "Credentials folder",
  "state-folder": "State folder",
  "only-to": "Only-to list",
  room: "Room to record",
  clock: "Clock",
} as const;

/** One thing that was checked. */
export interface Check {
  readonly check: keyof typeof labels;
  /** Null if it could not be checked, or does not apply. */
  readonly ok: boolean | null;
  /** What was found. */
  readonly text: string;
  /** What to do about it; with `ok`, soon. */
  readonly fix?: string | undefined;
  /** How the command ends if this is the first that failed. */
  readonly failure?: { readonly kind: ErrorKind; readonly errorCode: string };
}

/** Returns a check that failed with an error. */
export function failed(
  check: Check["check"],
  error: {
    readonly kind: ErrorKind;
    readonly errorCode: string;
    readonly message: string;
    readonly hint?: string | undefined;
  },
): Check {
  const { kind, errorCode, message, hint } = error;
  return { check, ok: false, text: message, fix: hint, failure: { kind, errorCode } };
}

/** Shows checks, below the status that they are about if there is one; with `--quiet` those alone that failed. */
export function checksView(status: View | undefined, checks: readonly Check[]): View {
  return {
    json: (page) => ({ ...objectOf(status?.json(page)), checks: checks.map((one) => checkJson(one, page)) }),
    quiet: (page) => checks.filter(({ ok }) => ok === false).map((one) => checkLine(one, page)),
    text: (page) =>
      `${status === undefined ? "" : `${status.text(page)}\n`}${checks.map((one) => `${checkLine(one, page)}\n`).join("")}`,
  };
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function checkJson({ check, ok, text, fix, failure }: Check, { foreign }: Page) {
  return {
    check,
    ok,
    text: foreign(text),
    ...(fix !== undefined && { fix: foreign(fix) }),
    ...(failure !== undefined && { errorCode: foreign(failure.errorCode), exitCode: endings[failure.kind].exitCode }),
  };
}

function checkLine({ check, ok, text, fix }: Check, page: Page): string {
  const { paint, foreign } = page;
  const mark = ok === null ? "-" : ok ? (fix === undefined ? paint.good("✓") : paint.doubtful("✓")) : paint.bad("✗");
  const width = Math.max(...Object.values(labels).map(({ length }) => length));
  const words = foreign(fix === undefined ? text : `${text}; ${fix}`);
  return `${mark} ${labels[check].padEnd(width)}  ${fitted(page, words, 0, width + 4)}`;
}
