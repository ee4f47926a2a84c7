import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { EndingKind } from "../errors.ts";
import type { Host } from "../host.ts";
import { type Presenter, presenterFor, type OutputStyle } from "./presenter.ts";
import type { Redactor } from "./redact.ts";

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
export type Runner = <Flags extends object>(
  command: { readonly opts: () => Flags } & CommandUnknownOpts,
  work: (options: Flags & GlobalOptions, context: Context) => Promise<EndingKind | number | void>,
) => Promise<void>;

export async function contextFor(
  host: Host,
  redactor: Redactor,
  style: OutputStyle,
  argv: readonly string[] = [],
): Promise<Context> {
  return { host, redactor, presenter: await presenterFor(host, redactor, style), argv };
}
