import { sendPath } from "../../service/address.ts";
import { type EndingKind, endings } from "../../errors.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page, Context, Perform, GlobalOptions } from "../../terminal/context.ts";
import { countText, plural } from "../../words/count.ts";
import { agoText } from "../../terminal/ago.ts";
import { alignedLines, balanceText, kes, visible } from "../../terminal/text.ts";
import { profileInUse } from "../../profiles/resolve.ts";
import { newCommand } from "../shared/options.ts";
import { warnOfRotation } from "../../profiles/defaults.ts";
import { readStatus, type Status } from "../../checks/status.ts";
import type { NamedCheck } from "../../checks/checklist.ts";

export function statusCommand(perform: Perform) {
  return newCommand("status", {
    endsWith: "done",
    description:
      "Show the profile, key, mode and base URL that the next send would use, where each of them comes from, the last known balance and price, and what the day may still cost. Without --check it uses no network but for the record of a team.",
    uses: ["profile", "json", "quiet"],
    examples: ["sms status", "sms status --profile shop --json", "sms status --check"],
    notes:
      "--check sends a request that cannot be delivered, and runs a key command for it. The first check that fails gives the exit code; --quiet prints only what fails.",
  })
    .option("--check", "test connection, credentials, room and clock")
    .action((_, command) =>
      perform(command, async ({ check, ...options }, context) =>
        check ? showChecks(options, context) : showStatus(options, context, undefined),
      ),
    );
}

/** Shows what the next send would use. Throws what would stop that send: no credentials, no base URL, an unsafe store. */
export async function showStatus(
  { profile }: GlobalOptions,
  { host, presenter }: Pick<Context, "host" | "presenter">,
  heading: string | undefined,
): Promise<void> {
  const status = await readStatus(profileInUse(host, profile), host);
  for (const warning of status.warnings) presenter.warn(warning);
  const { name = null, ageDays = null } = status.facts.key ?? {};
  if (name !== null && ageDays !== null) warnOfRotation(name, ageDays, profile, presenter);
  presenter.show({
    json: () => status.facts,
    text: (page) =>
      (heading === undefined ? "" : `${page.paint.good("✓")} ${heading}\n`) + statusText(status, host.now(), page),
  });
}

/** Shows the status with checks of it, and with `--quiet` only those that failed. Ends as the first of these says. */
async function showChecks({ profile }: GlobalOptions, context: Context): Promise<EndingKind> {
  const { checkAll } = await import("../../checks/checklist.ts");
  const { status, checks } = await checkAll(profile, context);
  const failed = checks.filter(({ ok }) => ok === false);
  const width = Math.max(...checks.map(({ label }) => label.length));
  context.presenter.show({
    json: (page) => ({ ...status.facts, checks: checks.map((check) => checkJson(check, page)) }),
    quiet: (page) => failed.map((check) => checkLine(check, width, page)),
    text: (page) =>
      `${statusText(status, context.host.now(), page)}\n` +
      checks.map((check) => `${checkLine(check, width, page)}\n`).join(""),
  });
  return failed[0]?.failure?.kind ?? "accepted";
}

function checkJson({ check, ok, text, fix, failure }: NamedCheck, { foreign }: Page) {
  return {
    check,
    ok,
    text: foreign(text),
    fix: fix === undefined ? undefined : foreign(fix),
    ...(failure !== undefined && { errorCode: foreign(failure.errorCode), exitCode: endings[failure.kind].exitCode }),
  };
}

function checkLine({ label, ok, text, fix }: NamedCheck, width: number, page: Page): string {
  const { paint, foreign } = page;
  const mark = ok === null ? "-" : ok ? (fix === undefined ? paint.good("✓") : paint.doubtful("✓")) : paint.bad("✗");
  const words = foreign(fix === undefined ? text : `${text}; ${fix}`);
  return `${mark} ${label.padEnd(width)}  ${fitted(page, words, [0, width + 4])}`;
}

function statusText(status: Status, now: number, page: Page): string {
  const { limit, priceAt } = status;
  const { profile, baseUrl, path, sources, sender, country, rate, zone, history, hours, record } = status.facts;
  const { dailyCredits, onlyTo = [], notifyTo, kesPerCredit } = status.facts;
  const ago = (at: string) => agoText(Date.parse(at), now);
  const isPriced = kesPerCredit !== null && priceAt !== undefined;
  return alignedLines(page, [
    ["Profile", visible(profile)],
    ["Base URL", `${baseUrl} (from ${sources.baseUrl})`],
    ["Path", path === sendPath ? "" : path],
    credentialsLine(status),
    ["Mode", modeOfStatus(status.facts)],
    ["Sender", sender === null ? "the account's default" : visible(sender)],
    ["Country", country ?? "none: numbers need their +"],
    ["Rate", rate === null ? "" : `${countText(rate)} requests a minute`],
    ["Zone", hours === undefined ? (zone ?? "") : ""],
    ["History", history === "on" ? "" : history],
    ["Balance", balanceLine(status.facts, ago)],
    ["Limit", visible(limit ?? "")],
    ["Today", dailyCredits === undefined ? "" : spentText(dailyCredits)],
    ...onlyTo.map(({ source, list }) => ["Only to", `${visible(list)} (from ${source})`] as const),
    ["Hours", hours === undefined ? "" : visible(`${hours} in ${zone ?? "no known time zone"}, for live sends`)],
    ["Notify", notifyTo === undefined ? "" : `${visible(notifyTo.to)} (from ${notifyTo.source})`],
    ["Record", record === undefined ? "" : visible(`${record.place} (from ${record.source})`)],
    ["Price", isPriced ? `${kes(kesPerCredit)} a credit, ${ago(priceAt)}` : "not known yet"],
  ]);
}

function credentialsLine({ facts: { key, keyCommand }, email, source }: Status): readonly [string, string] {
  const line = (label: string, text: string) => [label, `${visible(text)} (from ${visible(source)})`] as const;
  if (keyCommand !== undefined) return line("Key command", keyCommand);
  if (key === null) return line("Account", email ?? "");
  return line("Key", key.ageDays === null ? key.shown : `${key.shown}, ${plural(key.ageDays, "day")} old`);
}

function modeOfStatus({ mode, sandbox }: Status["facts"]): string {
  if (mode === null) return "the mode of the key that the command prints";
  return sandbox ? `${mode}; a sandbox answers there, so nothing is charged` : mode;
}

function balanceLine({ balance, lowBalance }: Status["facts"], ago: (at: string) => string): string {
  if (balance !== null) return `${balanceText(balance.credits, lowBalance)}, ${ago(balance.at)}`;
  return `not known yet${lowBalance === undefined ? "" : `; low-balance ${countText(lowBalance)}`}`;
}

function spentText({ spent, reserved }: NonNullable<Status["facts"]["dailyCredits"]>): string {
  if (spent === null) return "not known without the key: --check runs the key command";
  const until = reserved === 0 ? "" : " until the day ends: on the way, in doubt or cut off";
  return `${plural(spent, "credit")} spent since the limit was set, ${countText(reserved)} reserved${until}`;
}
