import { onlyNumberOf } from "../recipients/numbers.ts";
import type { Context } from "../terminal/context.ts";
import { optionTable, type SendOptions } from "./options.ts";

/** A list of one number is that number, unless an option makes a run of it. */
export async function withOnlyNumber<Options extends Pick<SendOptions, "to" | "message">>(
  options: Options,
  context: Context,
): Promise<Options> {
  const [name = "", ...others] = options.to ?? [];
  const isOfOne = Object.keys(options).every((each) => optionTable[each]?.readers.includes("message") ?? true);
  if (others.length > 0 || !isOfOne) return options;
  const number = await onlyNumberOf(name, options.message?.includes("{{") === false, context);
  return number === undefined ? options : { ...options, to: [number] };
}
