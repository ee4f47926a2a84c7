import type { Host } from "../../host.ts";
import { humanReporter } from "../../output/human.ts";
import { jsonReporter } from "../../output/json.ts";
import type { Redactor } from "../../output/redact.ts";
import type { Reporter } from "../../output/reporter.ts";

/** How a person or a script wants to be told. */
export interface Style {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
}

/** What every command is given: the machine, seen through the redactor. */
export interface Context {
  readonly host: Host;
  readonly redactor: Redactor;
}

/** The reporter for a style. */
export function reporterFor({ host, redactor }: Context, style: Style): Promise<Reporter> {
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
