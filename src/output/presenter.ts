import { endings } from "../errors.ts";
import type { Host } from "../host.ts";
import { noPaint, type Paint, paintFor } from "./paint.ts";
import type { Redactor } from "./redact.ts";
import { jsonLine, visible } from "./sanitize.ts";
import { failureHeading, type FailureReport, outcomeSentence } from "./text.ts";

/** The form in which output was asked for. */
export interface Style {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** What a view is rendered for. */
interface Page {
  /** Width of the output. */
  readonly columns: number;
  readonly paint: Paint;
  /** Makes text from elsewhere safe to show: removes secrets, makes control characters visible. */
  readonly foreign: (text: string) => string;
}

/** The result of a command in its three forms, of which only the one that was asked for is rendered. */
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
  /** Prints a sentence on stderr; silent with `--json` and `--quiet`. */
  readonly note: (text: string) => void;
  /** Prints a warning on stderr, silent with `--quiet`; with `--json` it joins the next result that is an object, or failure. */
  readonly warn: (text: string) => void;
  /** Prints a line on stderr in every form, because `--verbose` or `--log` asked for it. */
  readonly trace: (line: string) => void;
  /** Reports a failure on stderr, in the form that was asked for. */
  readonly fail: (failure: FailureReport) => void;
}

/** Returns the presenter for a style. Loads the library for colours only if they are used. */
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
    trace: (line) => stderr.write(`${visible(line)}\n`),
    fail: ({ kind, message, errorCode, httpStatus, outcome, hint, details = [] }) => {
      stderr.write(
        jsonLine({
          error: page.foreign(message),
          errorCode: page.foreign(errorCode),
          httpStatus,
          outcome,
          exitCode: endings[kind].exitCode,
          hint: hint === undefined ? undefined : page.foreign(hint),
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
    trace: (line) => stderr.write(`${visible(line)}\n`),
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
