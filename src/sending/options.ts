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

/** Times are in milliseconds, but the time-out of a request is in seconds. */
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

export interface NotifyOptions
  extends Omit<AnySendOptions, "to">, Pick<SendOptions, "messageFile" | "sandbox" | "once" | "for"> {
  readonly to?: string;
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
  readonly words: string;
}

export function isRun({ recipients, run, redirectTo, to = [] }: SendOptions): boolean {
  const isOne = to.length <= 1 && !to.some(isList);
  return recipients !== undefined || run !== undefined || redirectTo !== undefined || !isOne;
}

/** A script's standard input is often a pipe of others, so a script's log says nothing about the pipe. */
export function sayUnread({ message, messageFile, recipients }: SendOptions, { host, presenter }: Context): void {
  const option = message === undefined ? "--message-file" : "--message";
  const isRead = [message, messageFile, recipients].includes("-") || (message ?? messageFile) === undefined;
  if (!isRead && host.stderr.isTerminal() && host.stdin.isPipe())
    presenter.warn(`what is piped to standard input is not sent, because ${option} has the text`);
}
