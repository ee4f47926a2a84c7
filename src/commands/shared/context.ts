import type { Host } from "../../host.ts";
import { humanReporter } from "../../output/human.ts";
import { jsonReporter } from "../../output/json.ts";
import { type Presenter, presenterFor, type Style } from "../../output/presenter.ts";
import type { Redactor } from "../../output/redact.ts";
import type { Reporter } from "../../output/reporter.ts";

/** What the program is given: the machine, seen through the redactor. */
export interface ProgramContext {
  readonly host: Host;
  readonly redactor: Redactor;
}

/** What a command is given besides its options. */
export interface Context extends ProgramContext {
  readonly presenter: Presenter;
}

/** Returns the context of a command whose results are wanted in this style. */
export async function contextFor({ host, redactor }: ProgramContext, style: Style): Promise<Context> {
  return { host, redactor, presenter: await presenterFor(host, redactor, style) };
}

/** The reporter for a style. */
export function reporterFor({ host, redactor }: ProgramContext, style: Style): Promise<Reporter> {
  if (style.json) return Promise.resolve(jsonReporter(host, redactor));
  return humanReporter(style.color ? host : withoutColor(host), redactor, style.quiet);
}

function withoutColor(host: Host): Host {
  return {
    ...host,
    stdout: { ...host.stdout, hasColor: () => false },
    stderr: { ...host.stderr, hasColor: () => false },
  };
}
