import stringWidth from "string-width";
import { shellWord } from "../core/shell-word.ts";
import type { EndingKind } from "../errors.ts";
import type { Tally } from "../runs/ledger.ts";
import type { Page } from "./presenter.ts";
import { visible } from "./sanitize.ts";

/** What must happen before a run that ended so can go on. */
const before: Partial<Record<EndingKind, string>> = {
  unauthorized: "once the credentials are right",
  "no-credits": "once the account is topped up",
  forbidden: "once the sender or the IP address is allowed",
};

/** A run that may have something left to send. */
interface Rest {
  /** The command that continues it. */
  readonly resume: string;
  readonly tally: Tally;
  /** How it ended just now. */
  readonly ending?: EndingKind;
  /** Messages that are due and stay out of it. */
  readonly held?: number;
}

/** The flags of a resume that say what is held back, or whose profile does. */
interface ResumeFlags {
  readonly profile?: string | undefined;
  readonly exclude?: string | undefined;
  readonly between?: string | undefined;
}

/** Returns the command that continues a run with these flags. */
export function resumeCommand(run: string, { profile, exclude, between }: ResumeFlags): string {
  const flags = { profile, exclude, between };
  const words = Object.entries(flags).map(([name, value]) =>
    value === undefined ? "" : ` --${name} ${shellWord(visible(value))}`,
  );
  return `sms runs resume ${run}${words.join("")}`;
}

/** Returns the commands that continue a run. */
export function resumeText({ resume, tally, ending, held = 0 }: Rest, page: Page): string {
  const { due, pending, unsent, rejected } = tally;
  const rest = due > held ? nextText(resume, ending && before[ending], page) : "";
  const isMore = pending + unsent + rejected > due;
  return rest + (isMore ? nextText(`${resume} --retry rejected`, "once the cause is fixed", page) : "");
}

/** Returns a command to type next and when or why; on a line of its own if both are too wide for a terminal. */
export function nextText(command: string, why: string | undefined, { isTerminal, columns, paint }: Page): string {
  const line = `  ${paint.faint("Next:")} ${command}`;
  if (why === undefined) return `${line}\n`;
  const isWide = isTerminal && stringWidth(`  Next: ${command}  (${why})`) > columns;
  return `${line}${isWide ? "\n        " : "  "}(${why})\n`;
}
