import type { SendEvent } from "../engine.ts";

export function closedText({ hold, until }: Extract<SendEvent, { kind: "closed" }>): string {
  return `Waiting until ${until.text}: ${hold.reason}.`;
}
