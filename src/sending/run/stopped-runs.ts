import { reachesPhones } from "../../record/repeats.ts";
import type { RunKeeper } from "../../record/runs.ts";
import { listRuns } from "../../reports/run.ts";
import { countText } from "../../words/count.ts";
import type { LocalSend } from "../opening.ts";
import { resumeCommand } from "../views/run-summary.ts";

const weekMs = 7 * 24 * 60 * 60 * 1000;

/** Each run is added up, so only the latest ones are looked at. */
const mostLookedAt = 20;

export async function stoppedRuns(name: string, runs: RunKeeper, { options }: LocalSend): Promise<readonly string[]> {
  const since = new Date((await runs.now()) - weekMs).toISOString();
  const { runs: recent } = await listRuns(runs, mostLookedAt, (header) => {
    const isOther = header.started >= since && header.name !== name;
    return isOther && reachesPhones(header, header.binding.baseUrl);
  });
  const texts: string[] = [];
  for (const { header, tally } of recent) {
    if (tally.isClosed || tally.pending === 0 || (await runs.owner(header.name)) !== undefined) continue;
    const resume = resumeCommand(header.name, options.profile);
    texts.push(`Run ${header.name} stopped with ${countText(tally.pending)} not tried: \`${resume}\``);
  }
  return texts;
}
