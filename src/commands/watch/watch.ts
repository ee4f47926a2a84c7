import type { Run } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { readAtMost, withWatchFlags } from "./flags.ts";

export function watchCommand(run: Run) {
  const command = withWatchFlags().action(
    ({ group = 120_000, atMost = readAtMost("6/h"), segments = 2, ...flags }, self) =>
      run(self, async (globals, context) => {
        const { watch } = await import("../../sending/watch/watching.ts");
        return watch({ ...flags, ...globals, group, atMost, segments }, context);
      }),
  );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet", "verbose"], "Output:"),
    [
      "journalctl -fu billing | grep --line-buffered ERROR | sms watch --to @oncall",
      "tail -F app.log | sms watch --to +254712345678 --quiet-after 30m",
      "sms watch --to +254712345678 --dry-run <yesterday.log",
    ],
    "Lines that differ only in numbers, times, hex and UUIDs are of one kind. At the end of the input and at SIGTERM, what is gathered is sent. Ctrl-C leaves without, and says what was not sent.",
  );
}
