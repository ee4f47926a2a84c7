import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { withExamples } from "../shared/examples.ts";
import { oneOf, single } from "../shared/option-values.ts";
import { verb, withGlobalOptions } from "../shared/options.ts";

/** `sms optout`: its verbs and their help. */
export function optoutCommand(run: Run) {
  const add = verb(
    "add",
    "add numbers that are never sent to",
    "sms optout add +254712345678 --reason STOP",
    'sms optout add "0712 345678" --country KE',
  )
    .description("Add numbers that are never sent to. A number already in the list keeps its date and reason.")
    .argument("<numbers...>", "the numbers")
    .option("--reason <text>", "the reason to note in the list", single("--reason"))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .action((numbers, flags, command) =>
      run(command, async (options, context) =>
        (await import("./add.ts")).addToOptOuts(numbers, { ...flags, ...options }, context),
      ),
    );
  const remove = verb("remove", "allow messages to numbers again", "sms optout remove +254712345678")
    .description("Allow messages to numbers again, after a confirmation.")
    .argument("<numbers...>", "the numbers")
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .action((numbers, flags, command) =>
      run(command, async (options, context) =>
        (await import("./remove.ts")).removeFromOptOuts(numbers, { ...flags, ...options }, context),
      ),
    );
  const list = verb(
    "list",
    "list the numbers that are never sent to",
    "sms optout list",
    "sms optout list --json",
  ).action((_, command) => run(command, async (_options, context) => (await import("./list.ts")).listOptOuts(context)));
  const imported = verb(
    "import",
    "add the numbers of a file",
    "sms optout import unsubscribed.csv",
    "cut -d, -f2 list.csv | sms optout import - --reason STOP",
  )
    .description(
      "Add the numbers of a file of recipients, in any supported format. The columns reason and at (a date) are kept. Nothing is added if a row cannot be used, unless --skip-invalid is given.",
    )
    .argument("<file>", "the file; - reads standard input")
    .option("--reason <text>", "the reason for rows that have none", single("--reason"))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong", single("--to-column"))
    .option(
      "--format <name>",
      "plain, csv or ndjson, if the guess is wrong",
      oneOf("--format", ["plain", "csv", "ndjson"]),
    )
    .option("--skip-invalid", "leave invalid rows out instead of stopping")
    .action((file, flags, command) =>
      run(command, async (options, context) =>
        (await import("./import.ts")).importOptOuts(file, { ...flags, ...options }, context),
      ),
    );
  const optout = new Command("optout")
    .summary("keep a list of numbers that are never sent to")
    .description(
      "Keep a list of numbers that this machine never sends to. A run leaves them out; a single message to one is refused.",
    )
    .addCommand(withGlobalOptions(add, ["json", "quiet"]))
    .addCommand(withGlobalOptions(remove, ["json", "quiet", "input", "yes"]))
    .addCommand(withGlobalOptions(list, ["json", "quiet"]))
    .addCommand(withGlobalOptions(imported, ["json", "quiet"]));
  return withExamples(optout, ["sms optout add +254712345678 --reason STOP", "sms optout list"]);
}
