import { reachedBy } from "../record/begun-run.ts";
import { isLive } from "../service/credentials.ts";
import { numberKey, type NumberSet } from "../message/number-set.ts";
import type { RecordedRun, RunKeeper } from "../record/runs.ts";
import type { SentLater } from "./due.ts";

export async function sentLater(
  runs: Pick<RunKeeper, "list">,
  { header }: RecordedRun,
  left: AsyncIterable<{ readonly to: string }>,
): Promise<SentLater | undefined> {
  const { name, started, binding } = header;
  // A sandbox texts nobody.
  if (binding.mode === "sandbox") return undefined;
  const later: { readonly name: string; readonly reached: NumberSet; messages: number }[] = [];
  for (const listed of await runs.list()) {
    if (listed.kind === "unreadable") continue;
    const { header: other } = listed.run;
    const isSameService =
      other.binding.baseUrl === binding.baseUrl && isLive(other.binding.mode) === isLive(binding.mode);
    if (other.name === name || other.started < started || !isSameService) continue;
    later.push({ name: other.name, reached: await reachedBy(listed.run), messages: 0 });
  }
  if (later.length === 0) return undefined;
  let messages = 0;
  for await (const { to } of left) {
    const key = numberKey(to);
    const by = later.filter(({ reached }) => reached.has(key));
    for (const run of by) run.messages++;
    if (by.length > 0) messages++;
  }
  if (messages === 0) return undefined;
  return { messages, runs: later.filter((run) => run.messages > 0).map((run) => run.name) };
}
