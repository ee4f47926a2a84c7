import type { RunHeader } from "../../record/header.ts";
import { shellWord } from "../../words/shell-word.ts";
import type { LocalSend } from "../opening.ts";
import { longName, optionTable } from "../options.ts";

/** The hours have the zone in which the run began; `any` overrides the hours of the profile for one command. */
export async function optionsOfRun(send: LocalSend): Promise<RunHeader["options"]> {
  const { between, ...others } = send.options;
  const options = Object.fromEntries(Object.entries(others).filter(([name]) => isKept(name)));
  if (between === undefined || between === "any") return options;
  const { zonedHours } = await import("../../guards/hours.ts");
  return { ...options, between: zonedHours(between, send.payingProfile, send.context.host) };
}

/** A resume may change it. */
function isKept(name: string): boolean {
  return (["run", "runs resume"] as const).every((way) => optionTable[name]?.readers.includes(way));
}

/**
 * Returns options as they are typed, each with a space in front, without those that the run has kept. The parser of an option
 * that is kept returns what was typed: a text, a number, or several texts.
 */
export function typedOptions(options: object, begunWith: RunHeader["options"] = {}): string {
  return Object.entries<unknown>({ ...options })
    .filter(([name, value]) => isKept(name) && JSON.stringify(begunWith[name]) !== JSON.stringify(value))
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => [name, each] as const))
    .map(([name, value]) => ` ${longName(optionTable[name])}${value === true ? "" : ` ${shellWord(String(value))}`}`)
    .join("");
}
