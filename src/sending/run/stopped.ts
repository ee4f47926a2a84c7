import { reachesPhones } from "../../record/repeats.ts";
import type { RunKeeper } from "../../record/runs.ts";
import { countText } from "../../words/count.ts";
import type { Send } from "../opening.ts";
import { resumeCommand } from "../views/run-summary.ts";

const weekMs = 7 * 24 * 60 * 60 * 1000;

/** Each run is added up, so only the latest ones are looked at. */
const mostLookedAt = 20;

export async function stoppedRuns(
  name: string,
  runs: RunKeeper,
  { options, context }: Send,
): Promise<readonly string[]> {
  const since = new Date(context.host.now() - weekMs).toISOString();
  const begun = (await runs.list()).flatMap((listed) => (listed.kind === "run" ? [listed.run] : []));
  const recent = begun
    .filter(({ header }) => header.started >= since && header.name !== name)
    .filter(({ header }) => reachesPhones(header, header.binding.baseUrl))
    .toSorted((a, b) => b.header.started.localeCompare(a.header.started))
    .slice(0, mostLookedAt);
  const texts: string[] = [];
  for (const { header, readCounts } of recent) {
    const tally = (await readCounts().catch(() => undefined))?.tally();
    if (tally === undefined || tally.isClosed || tally.pending === 0) continue;
    if ((await runs.owner(header.name)) !== undefined) continue;
    const resume = resumeCommand(header.name, options.profile);
    texts.push(`Run ${header.name} stopped with ${countText(tally.pending)} not tried: \`${resume}\``);
  }
  return texts;
}
