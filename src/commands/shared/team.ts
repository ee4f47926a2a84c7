import type { Host } from "../../host.ts";
import { sharedRecord } from "./record.ts";

/** Returns how sentences name who shares the record of a command: as the sender, behind a number of messages, and as the owner. */
export function recordWords(host: Host) {
  return sharedRecord(host) === undefined
    ? { sender: "sms", from: "from this machine", of: "" }
    : { sender: "your team", from: "by your team", of: " of your team" };
}
