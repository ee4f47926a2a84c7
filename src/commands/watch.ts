import { watchDefaults } from "../sending/options.ts";
import type { Perform } from "../terminal/context.ts";
import { newCommand, withOptions } from "./shared/options.ts";

export function watchCommand(perform: Perform) {
  return withOptions(describedWatch(), "watch").action((_, command) =>
    perform(command, async (options, context) => {
      const { watch } = await import("../sending/watch/watch.ts");
      return watch({ ...watchDefaults, ...options }, context);
    }),
  );
}

function describedWatch() {
  return newCommand("watch", {
    endsWith: "done",
    description:
      "Read lines until the input ends, and send few texts: the first line at once, then how many lines of which kinds came.",
    uses: ["profile", "json", "quiet", "verbose"],
    outputHeading: "Output:",
    examples: [
      "journalctl -fu billing | grep --line-buffered ERROR | sms watch --to @oncall",
      "tail -F app.log | sms watch --to +254712345678 --group 10m --at-most 4/h",
      "sms watch --to +254712345678 --dry-run <yesterday.log",
    ],
    notes:
      "Lines that differ only in numbers, times, hex and UUIDs are of one kind. At the end of the input and at SIGTERM, gathered lines are sent. Ctrl-C sends nothing more, and says how many lines were not sent.",
  });
}
