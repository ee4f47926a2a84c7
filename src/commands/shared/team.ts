import type { Host } from "../../host.ts";
import { sharedRecord } from "./record.ts";

/** Returns the words for those who share the record of a command: who sends, by or from whom, and whose it is. */
export function recordWords(host: Host) {
  return sharedRecord(host) === undefined
    ? { sender: "sms", from: "from this machine", of: "" }
    : { sender: "your team", from: "by your team", of: " of your team" };
}
