import type { Command, OptionValues } from "@commander-js/extra-typings";
import { invalidOption } from "../../errors.ts";
import { lacking, repeated } from "./option-values.ts";

export function withGuards<Args extends unknown[], Given extends OptionValues, Globals extends OptionValues>(
  command: Command<Args, Given, Globals>,
) {
  return command
    .optionsGroup("Guards:")
    .option("--only-to <file>", "refuse recipients who are not in this file")
    .option("--between <hours>", 'hours to send in: "08:00-20:00 Africa/Nairobi" or any');
}

export function withGuardsOfRuns<Args extends unknown[], Given extends OptionValues, Globals extends OptionValues>(
  command: Command<Args, Given, Globals>,
) {
  return withGuards(command)
    .option("--wait", "outside the hours, wait for the opening")
    .option("--exclude <file>", "leave out a file's numbers or run:name; repeatable", repeated);
}

/** Throws a usage error for a pause of no time, or without a key. */
export function requirePause({ once, for: pauseMs }: { readonly once?: string; readonly for?: number }): void {
  if (pauseMs !== undefined && once === undefined) throw lacking("--for", "--once");
  if (pauseMs !== 0) return;
  const hint = "give the time during which nothing more is sent under the key, such as 1h";
  throw invalidOption("--for 0 would be no pause", hint);
}
