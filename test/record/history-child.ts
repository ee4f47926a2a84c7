// Adds messages to a history until it is killed, or so many: node history-child.mjs STATE FROM [COUNT]
import { recordSend } from "../../src/record/history-folder.ts";
import { ours } from "../files/this-process.ts";

const [, , state = "", from = "0", count = "Infinity"] = process.argv;
process.stdout.write("ready\n");
for (let index = 0; index < Number(count); index++) {
  const to = `+2547${String(Number(from) + index).padStart(8, "0")}`;
  const problem = recordSend(ours(state), {
    begun: Date.now(),
    at: Date.parse("2026-11-22T08:00:00Z") + index,
    payer: { account: "a", key: "prod" },
    mode: "live",
    to,
    sender: { kind: "name", name: "é".repeat(2000) },
    segments: 1,
    outcome: { kind: "accepted", receipt: { success: true, messageId: to, to } },
  });
  if (problem !== undefined) throw new Error(problem);
}
