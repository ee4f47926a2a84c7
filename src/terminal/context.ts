import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { EndingKind, FailureReport } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Paint } from "./paint.ts";
import type { Redactor } from "./redact.ts";
import type { Wait } from "./waiting.ts";
import type { WireLog } from "./wire-log.ts";

export interface OutputStyle {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
}

export interface Page {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly paint: Paint;
  /** Removes secrets, and makes control characters visible. */
  readonly foreign: (text: string) => string;
  /** Only removes secrets, for text that is made visible later. */
  readonly redact: (text: string) => string;
}

export interface View {
  readonly json: (page: Page) => unknown;
  /** Without it, `--quiet` prints nothing. */
  readonly quiet?: (page: Page) => readonly string[];
  readonly text: (page: Page) => string;
}

export interface LongView {
  readonly isList?: true;
  readonly json: (page: Page) => AsyncIterable<unknown>;
  readonly text: (page: Page) => AsyncIterable<string>;
}

/** All output goes to stdout and stderr by this. */
export interface Presenter {
  readonly show: (view: View) => void;
  /** Stops once nobody reads the result. */
  readonly stream: (view: LongView) => Promise<void>;
  /** Prints on stderr, line ends included; silent with `--json` and `--quiet`. */
  readonly tell: (text: (page: Page) => string) => void;
  /** True at a terminal, without `--json`, `--quiet`, CI and TERM=dumb. */
  readonly showsWaits: boolean;
  /** Whether a person or a program can copy this text as it is. A command that is not shown exactly is not shown. */
  readonly showsExactly: (text: string) => boolean;
  /** `undefined` shows nothing: for work that uses the terminal itself, such as a question. */
  readonly waitFor: <T>(wait: Wait | undefined, work: () => Promise<T>) => Promise<T>;
  readonly wireLog: WireLog | undefined;
  /** Prints on stderr; silent with `--json` and `--quiet`. */
  readonly note: (text: string) => void;
  /** Silent with `--quiet`; with `--json` the warning joins the next result that is an object, or failure. */
  readonly warn: (text: string) => void;
  /** As `warn`, but with `--quiet` too. */
  readonly insist: (text: string) => void;
  /** Prints on stderr in every form, `--json` and `--quiet` included. */
  readonly always: (line: string) => void;
  readonly fail: (failure: FailureReport) => void;
}

export interface GlobalOptions extends OutputStyle {
  readonly profile?: string;
  readonly input: boolean;
  readonly yes: boolean;
}

export interface Context {
  readonly host: Host;
  readonly redactor: Redactor;
  readonly presenter: Presenter;
  readonly argv: readonly string[];
}

/** A returned number is the exit code of a command that the work ran itself. */
export type Perform = <Flags extends object>(
  command: { readonly opts: () => Flags } & CommandUnknownOpts,
  work: (options: Flags & GlobalOptions, context: Context) => Promise<EndingKind | number | void>,
) => Promise<void>;
