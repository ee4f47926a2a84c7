import { type Message, membersOf } from "../core/fields.ts";
import type { Sender } from "../core/sender.ts";
import { alignedLines } from "./aligned.ts";
import { leastWidth, wrappedText } from "./cells.ts";
import type { Page } from "./presenter.ts";
import { modeText, type Payment } from "./text.ts";

/** A line of a plan. A value longer than `most` lines is cut; its control characters are made visible. */
type PlanLine = readonly [label: string, value: string, most?: number];

/** The service that a plan is for, and the credentials that pay. */
export interface PlanOrigin {
  readonly baseUrl: string;
  /** The base URL and its source, if it is not that of the profile. */
  readonly otherService: string | undefined;
  /** The key as it is shown, and its name if it is stored; or the e-mail address of an account. */
  readonly payer:
    | { readonly kind: "key"; readonly name: string | null; readonly shown: string }
    | { readonly kind: "account"; readonly email: string };
  /** Where the credentials came from, in words. */
  readonly credentialsSource: string;
}

/** Returns the text of a plan, wrapped to the width of a terminal: what reads a pipe or a log looks for whole sentences. */
export function planText({ paint, isTerminal, columns }: Page, lines: readonly PlanLine[]): string {
  const labels = Math.max(...lines.map(([label]) => label.length));
  const width = isTerminal ? Math.max(leastWidth, columns - labels - 4) : Infinity;
  return alignedLines(
    { paint, columns, isTerminal: false },
    lines.map(([label, value, most]) => [label, cut(wrappedText(value, width), most).join("\n")]),
  );
}

function cut(lines: readonly string[], most = Infinity): readonly string[] {
  // The sentence takes a line as well.
  return lines.length <= most + 1 ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more lines`];
}

/** Returns a sender in words. */
export function senderText(sender: Sender | undefined, { foreign }: Page): string {
  if (sender === undefined) return "the account's default sender";
  return foreign(sender.kind === "name" ? sender.name : sender.id);
}

/** Returns a message by the names of the service, without secrets. */
export function messageJson(message: Message, { redacted }: Pick<Page, "redacted">) {
  return Object.fromEntries(Object.entries(membersOf(message)).map(([name, text]) => [name, redacted(text)]));
}

/** Returns the lines that say who pays, where it goes and whether phones receive it. A sandbox has no origin. */
export function originLines(origin: PlanOrigin | undefined, payment: Payment, { foreign }: Page): readonly PlanLine[] {
  const modeLine = ["Mode", modeText(payment)] as const;
  if (origin === undefined) return [modeLine];
  const { baseUrl, otherService = baseUrl, payer, credentialsSource } = origin;
  const source = foreign(credentialsSource);
  const payerLine =
    payer.kind === "key"
      ? (["Key", `${payer.shown} (from ${source})`] as const)
      : (["Account", `${foreign(payer.email)} (from ${source})`] as const);
  return [payerLine, ["Base URL", foreign(otherService)], modeLine];
}

/** Returns what a plan says of its origin in JSON. */
export function originJson(origin: PlanOrigin | undefined) {
  const key = origin?.payer.kind === "key" ? { name: origin.payer.name, shown: origin.payer.shown } : null;
  return { baseUrl: origin?.baseUrl ?? null, key };
}
