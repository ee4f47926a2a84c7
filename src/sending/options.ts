import { isList } from "../recipients/groups.ts";
import type { GuardOptions } from "../guards/guard.ts";
import type { Context, GlobalOptions } from "../terminal/context.ts";
import type { Sender } from "../message/sender.ts";

interface AnySendOptions extends GlobalOptions, GuardOptions {
  readonly to?: readonly string[];
  readonly message?: string;
  readonly sender?: Sender;
  readonly country?: string;
  readonly segments?: number;
  readonly dryRun?: true;
  readonly expect?: "test" | "live";
}

/** The options of `sms send`. Times are in milliseconds, but the time-out of a request is in seconds. */
export interface SendOptions extends AnySendOptions {
  readonly recipients?: string;
  readonly messageFile?: string;
  readonly sandbox?: true;
  readonly run?: string;
  readonly format?: "plain" | "csv" | "ndjson";
  readonly toColumn?: string;
  readonly skipInvalid?: true;
  readonly allowDuplicates?: true;
  readonly gsm7?: true;
  readonly literal?: true;
  readonly once?: string;
  readonly for?: number;
  readonly repeated?: "send" | "skip";
  readonly retry?: readonly ("rejected" | "uncertain")[];
  readonly redirectTo?: string;
  readonly rate?: number;
  readonly timeout: number;
  readonly retries: number;
}

export interface NotifyOptions extends Omit<AnySendOptions, "to"> {
  readonly to?: string;
  readonly messageFile?: string;
  readonly sandbox?: true;
  readonly once?: string;
  /** How long the pause of `--once` lasts, in milliseconds. */
  readonly for?: number;
  readonly only?: "failure" | "success";
  readonly longerThanMs?: number;
}

export interface WatchOptions extends AnySendOptions {
  readonly groupMs: number;
  readonly atMost: AtMost;
  readonly segments: number;
}

export interface AtMost {
  readonly texts: number;
  readonly timeMs: number;
  /** Both as they were written. */
  readonly words: string;
}

/** Whether these flags ask for a run: several recipients, a list or file of them, a name, or a rehearsal. */
export function isRun({
  recipients,
  run,
  redirectTo,
  to = [],
}: Pick<SendOptions, "recipients" | "run" | "redirectTo" | "to">): boolean {
  const isOne = to.length <= 1 && !to.some(isList);
  return recipients !== undefined || run !== undefined || redirectTo !== undefined || !isOne;
}

/** Says that nobody reads what is piped beside a text. A script's log says nothing: its standard input is often a pipe of others. */
export function sayUnread({ message, messageFile, recipients }: SendOptions, { host, presenter }: Context): void {
  const option = message === undefined ? "--message-file" : "--message";
  const isRead = [message, messageFile, recipients].includes("-") || (message ?? messageFile) === undefined;
  if (!isRead && host.stderr.isTerminal() && host.stdin.isPipe())
    presenter.warn(`what is piped to standard input is not sent, because ${option} has the text`);
}
