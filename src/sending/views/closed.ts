import type { SendEvent } from "../engine.ts";

/** Says until when nothing is sent, and why. */
export function closedText({ hold, until }: Extract<SendEvent, { kind: "closed" }>): string {
  return `Waiting until ${until.text}: ${hold.reason}.`;
}
