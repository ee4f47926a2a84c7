import { toGsm7 } from "../../core/look-alikes.ts";
import { checkMessage } from "../../core/message.ts";
import { previewOf } from "../../core/preview.ts";
import { replacementText } from "../../output/look-alikes.ts";
import { previewView } from "../../output/preview.ts";
import type { Context } from "../shared/context.ts";
import { readText, requireText } from "../shared/input.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { currentPrice } from "../shared/price.ts";

interface PreviewFlags {
  readonly message?: string;
  readonly messageFile?: string;
  readonly gsm7?: true;
}

/** Shows the segments of a message. Throws a usage error for a text that cannot be sent. */
export async function preview(flags: PreviewFlags & GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const original = checkMessage(requireText(await readText(flags, context), flags));
  const { text, replaced } = flags.gsm7 ? toGsm7(original) : { text: original, replaced: [] };
  if (replaced.length > 0 && !flags.json) presenter.warn(replacementText(replaced));
  const price = await currentPrice(host, flags.profile);
  const gsm7 = flags.gsm7 ? { text, replaced } : undefined;
  presenter.show(previewView(previewOf(checkMessage(text)), price, gsm7));
}
