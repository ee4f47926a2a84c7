import { invalidOption } from "../../errors.ts";
import type { Run } from "../shared/context.ts";
import { defaultRetries, defaultTimeout } from "../shared/option-values.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { readAtMost, withFlags } from "./flags.ts";

export function watchCommand(run: Run) {
  const command = withFlags().action(
    (
      {
        group = 120_000,
        atMost = readAtMost("6/h"),
        segments = 2,
        timeout = defaultTimeout,
        retries = defaultRetries,
        ...flags
      },
      self,
    ) =>
      run(self, async (globals, context) => {
        const options = { ...flags, ...globals, group, atMost, segments, timeout, retries };
        if (options.listen !== undefined && options.tee)
          throw invalidOption("--tee passes lines through, and --listen reads none", "leave one out");
        const { watch } = await import("./watching.ts");
        return watch(options, context);
      }),
  );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet", "verbose"], "Output:"),
    [
      "journalctl -fu billing | grep --line-buffered ERROR | sms watch --to @oncall",
      "tail -F app.log | sms watch --to +254712345678 --quiet-after 30m --tee",
      "sms watch --listen 127.0.0.1:9876 --to @oncall --at-most 4/h",
      "sms watch --to +254712345678 --dry-run <yesterday.log",
    ],
    "Lines that differ only in numbers, times, hex and UUIDs are of one kind. At the end of the input and at SIGTERM, what is gathered is sent. Ctrl-C leaves without, and says what was not sent.",
  );
}
