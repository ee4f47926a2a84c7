import type { CommandUnknownOpts } from "@commander-js/extra-typings";

interface Explanation {
  /** Command lines as they are typed; one may go on over several lines. */
  readonly examples: readonly string[];
  /** Paragraphs between the examples and the options. */
  readonly notes: string;
}

const explanations = new WeakMap<CommandUnknownOpts, Explanation>();

/** Gives a command the examples and notes of its help page. */
export function withExamples<Declared extends CommandUnknownOpts>(
  command: Declared,
  examples: readonly string[],
  notes = "",
): Declared {
  explanations.set(command, { examples, notes });
  return command;
}

/** Returns the examples and notes of a command. */
export function explanationOf(command: CommandUnknownOpts): Explanation {
  return explanations.get(command) ?? { examples: [], notes: "" };
}
