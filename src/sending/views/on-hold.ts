import type { SendEvent } from "../engine.ts";

export function onHoldText({ hold, until }: Extract<SendEvent, { kind: "on-hold" }>): string {
  return `Waiting until ${until.text}: ${hold.reason}.`;
}
