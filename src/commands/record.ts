import { initSharedRecord, showRecord } from "../reports/show-record.ts";
import type { Perform } from "../terminal/context.ts";
import { newCommand, usualGlobals, verb } from "./shared/options.ts";

export function recordCommand(perform: Perform) {
  const init = verb("init", "create or update the tables of a shared record", "done", usualGlobals, "sms record init")
    .description(
      "Create the tables of the record that a team shares, or update them to what this sms needs, as a database user who may. Every other command only reads and writes.",
    )
    .action((_, command) => perform(command, ({ profile }, context) => initSharedRecord(profile, context)));
  return newCommand("record", {
    endsWith: "done",
    description:
      "Show where what was planned, sent and spent is recorded, why there, and whether it can be used: on this machine, or in the PostgreSQL database of a team, which SMS_RECORD or a profile names.",
    uses: usualGlobals,
    examples: ["sms record", "SMS_RECORD=postgres://sms@db.example/sms sms record init"],
  })
    .action((_, command) => perform(command, ({ profile }, context) => showRecord(profile, context)))
    .addCommand(init);
}
