import { endings } from "../errors.ts";
import type { Host } from "../host.ts";
import { noPaint, type Paint, paintFor } from "./paint.ts";
import type { Redactor } from "./redact.ts";
import { jsonLine, visible } from "./sanitize.ts";
import { failureHeading, type FailureReport, outcomeSentence } from "./text.ts";

/** How a person or a script wants to be told. */
export interface Style {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** What a view is rendered for. */
export interface Page {
  /** Width of the output. */
  readonly columns: number;
  readonly paint: Paint;
  /** Makes text that others wrote safe to show: secrets removed, control characters visible. */
  readonly foreign: (text: string) => string;
}

/** The result of a command in its three forms. Each is rendered only when it is the one wanted. */
export interface View {
  /** The value that `--json` prints on one line. */
  readonly json: (page: Page) => unknown;
  /** The lines that `--quiet` prints. */
  readonly quiet: (page: Page) => readonly string[];
  /** The text for a person, line ends included. */
  readonly text: (page: Page) => string;
}

/** The only way from a command to stdout and stderr. */
export interface Presenter {
  /** Prints a result on stdout, in the form that was asked for. */
  readonly show: (view: View) => void;
  /** Tells a person something on stderr; silent with `--json` and `--quiet`. */
  readonly note: (text: string) => void;
  /** Warns a person on stderr; with `--json` the warning is added to the next result or failure. */
  readonly warn: (text: string) => void;
  /** Reports a failure on stderr, in the form that was asked for. */
  readonly fail: (failure: FailureReport) => void;
}

/** Returns the presenter for a style. Loads colours only if they are wanted. */
export async function presenterFor(host: Host, redactor: Redactor, style: Style): Promise<Presenter> {
  return style.json ? jsonPresenter(host, redactor) : humanPresenter(host, redactor, style);
}

function jsonPresenter({ stdout, stderr }: Host, redactor: Redactor): Presenter {
  const warnings: string[] = [];
  const page: Page = { columns: Infinity, paint: noPaint, foreign: (text) => redactor.redactForeign(text) };
  const warned = () => (warnings.length === 0 ? {} : { warnings: warnings.splice(0) });
  return {
    show: (view) => {
      const value = view.json(page);
      const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
      stdout.write(jsonLine(isRecord ? { ...value, ...warned() } : value));
    },
    note: () => {},
    warn: (text) => {
      warnings.push(page.foreign(text));
    },
    fail: ({ kind, message, errorCode, httpStatus, outcome, hint, details = [] }) => {
      stderr.write(
        jsonLine({
          error: page.foreign(message),
          errorCode: page.foreign(errorCode),
          httpStatus,
          outcome,
          exitCode: endings[kind].exitCode,
          hint,
          ...(details.length > 0 && { details: details.map(page.foreign) }),
          ...warned(),
        }),
      );
    },
  };
}

async function humanPresenter(
  { stdout, stderr }: Host,
  redactor: Redactor,
  { quiet, color }: Style,
): Promise<Presenter> {
  const foreign = (text: string) => visible(redactor.redactForeign(text));
  const out = await paintFor(color && stdout.hasColor());
  const err = await paintFor(color && stderr.hasColor());
  const say = (text: string) => {
    if (!quiet) stderr.write(`${text}\n`);
  };
  return {
    show: (view) => {
      const page = { columns: stdout.columns(), paint: out, foreign };
      stdout.write(
        quiet
          ? view
              .quiet(page)
              .map((line) => `${line}\n`)
              .join("")
          : view.text(page),
      );
    },
    note: (text) => say(foreign(text)),
    warn: (text) => say(`${err.doubtful("Warning:")} ${foreign(text)}`),
    fail: ({ kind, message, outcome, httpStatus, errorCode, hint, details = [] }) => {
      const hasOutcome = kind !== "usage" && kind !== "fault" && outcome !== undefined;
      const heading = hasOutcome ? failureHeading[outcome] : "Error";
      const origin = httpStatus === undefined ? "" : ` (HTTP ${httpStatus}, ${foreign(errorCode)})`;
      stderr.write(`${err.bad(`${heading}:`)} ${foreign(message)}${origin}\n`);
      for (const detail of details) stderr.write(`  ${foreign(detail)}\n`);
      if (outcome !== undefined) stderr.write(`  ${outcomeSentence[outcome]}\n`);
      if (hint !== undefined) stderr.write(`  ${err.faint("Next:")} ${foreign(hint)}\n`);
    },
  };
}
