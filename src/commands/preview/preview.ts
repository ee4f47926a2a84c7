import { cheapened } from "../../core/look-alikes.ts";
import { checkMessage } from "../../core/message.ts";
import { previewOf } from "../../core/preview.ts";
import { replacementText } from "../../output/look-alikes.ts";
import { paintFor } from "../../output/paint.ts";
import { previewJson, previewText } from "../../output/preview.ts";
import type { Reporter } from "../../output/reporter.ts";
import { jsonLine } from "../../output/sanitize.ts";
import type { Context } from "../shared/context.ts";
import { readText } from "../shared/input.ts";
import { currentPrice } from "../shared/price.ts";
import type { GlobalOptions } from "../shared/options.ts";
import type { PreviewFlags } from "./definition.ts";

/** Shows what a message comes to. Throws a usage error for a text that could not be sent. */
export async function runPreview(
  flags: PreviewFlags & GlobalOptions,
  { host }: Context,
  reporter: Reporter,
): Promise<void> {
  const text = checkMessage(await readText(flags, host));
  const { text: shown, replaced } = flags.gsm7 ? cheapened(text) : { text, replaced: [] };
  const preview = previewOf(checkMessage(shown));
  const price = await currentPrice(host, flags.profile);
  if (flags.json) {
    host.stdout.write(
      jsonLine({ ...previewJson(preview, price), ...(flags.gsm7 && { text: shown, replaced }) }),
    );
  } else if (flags.quiet) {
    host.stdout.write(`${preview.segments}\n`);
  } else {
    if (replaced.length > 0) reporter.warn(replacementText(replaced));
    const paint = await paintFor(host.stdout.hasColor() && flags.color);
    host.stdout.write(previewText(preview, price, host.stdout.columns(), paint));
  }
}
