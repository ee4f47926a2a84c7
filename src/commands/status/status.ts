import { Command } from "@commander-js/extra-typings";
import { sendPath } from "../../service/address.ts";
import { type EndingKind, endings } from "../../errors.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import { countText, plural } from "../../words/count.ts";
import { agoText, alignedLines, balanceText, kes } from "../../terminal/text.ts";
import { profileInUse } from "../../profiles/resolve.ts";
import type { Context, Runner, GlobalOptions } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { warnOfRotation } from "../../profiles/defaults.ts";
import { readStatus, type Status } from "../../checks/status.ts";
import type { NamedCheck } from "../../checks/checklist.ts";

export function statusCommand(run: Runner) {
  const command = new Command("status")
    .description(
      "Show the profile, key, mode and base URL that the next send would use, where each of them comes from, the last known balance and price, and what the day may still cost. Without --check it uses no network but for the record of a team.",
    )
    .option("--check", "test connection, credentials, room and clock")
    .action(({ check }, self) =>
      run(self, async (options, context) =>
        check ? showChecks(options, context) : showStatus(options, context, undefined),
      ),
    );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet"]),
    ["sms status", "sms status --profile shop --json", "sms status --check"],
    "--check sends a request that cannot be delivered, and runs a key command for it. The first check that fails gives the exit code; --quiet prints only what fails.",
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
  const { credentials } = status;
  if (credentials.kind === "key" && credentials.name !== null && credentials.ageDays !== null) {
    warnOfRotation({ name: credentials.name, ageDays: credentials.ageDays, profile }, presenter);
  }
  presenter.show({
    json: () => statusJson(status),
    quiet: () => [],
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
    json: (page) => ({ ...statusJson(status), checks: checks.map((check) => checkJson(check, page)) }),
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

type StatusDay = NonNullable<Status["day"]>;

function statusJson(status: Status) {
  const { profile, baseUrl, path, mode, credentials, sources, zone, lowBalance, history, day, onlyTo, record } = status;
  const { kind, ...shown } = credentials;
  return {
    profile,
    baseUrl,
    path,
    mode,
    key: kind === "key" ? shown : null,
    keyCommand: credentials.kind === "command" ? credentials.command : undefined,
    sender: status.sender ?? null,
    country: status.country ?? null,
    zone,
    rate: status.rate ?? null,
    history,
    ...(status.isSandbox && { sandbox: true }),
    sources,
    balance: status.balance ?? null,
    lowBalance,
    dailyCredits: day && dayJson(day),
    kesPerCredit: status.price?.kesPerCredit ?? null,
    onlyTo: onlyTo.length > 0 ? onlyTo : undefined,
    ...status.hours,
    record,
  };
}

function dayJson({ date, limit, spent, reserved, left, endsAt }: StatusDay) {
  return { date, limit, spent, reserved, left, endsAt: new Date(endsAt).toISOString() };
}

function statusText(status: Status, now: number, page: Page): string {
  const { profile, baseUrl, path, mode, credentials, credentialsSource, sources, balance, price, hours } = status;
  const { sender, country, rate, zone, history, day, record } = status;
  const ago = (at: string) => agoText(Date.parse(at), now);
  return alignedLines(page, [
    ["Profile", visible(profile)],
    ["Base URL", `${baseUrl} (from ${sources.baseUrl})`],
    ...(path === sendPath ? [] : [["Path", path] as const]),
    [
      { account: "Account", command: "Key command", key: "Key" }[credentials.kind],
      `${visible(credentialsText(credentials))} (from ${visible(credentialsSource)})`,
    ],
    ["Mode", modeOfStatus(mode, status.isSandbox)],
    ["Sender", sender === undefined ? "the account's default" : visible(sender)],
    ["Country", country ?? "none: numbers need their +"],
    ...(rate === undefined ? [] : [["Rate", `${countText(rate)} requests a minute`] as const]),
    ...(hours !== undefined || zone === undefined ? [] : [["Zone", zone] as const]),
    ...(history === "on" ? [] : [["History", history] as const]),
    [
      "Balance",
      balance === undefined
        ? `not known yet${status.lowBalance === undefined ? "" : `; low-balance ${countText(status.lowBalance)}`}`
        : `${balanceText(balance.credits, status.lowBalance)}, ${ago(balance.at)}`,
    ],
    ...(day === undefined ? [] : [["Limit", visible(day.rule)] as const, ["Today", spentText(day)] as const]),
    ...status.onlyTo.map(({ source, list }) => ["Only to", `${visible(list)} (from ${source})`] as const),
    ...(hours === undefined
      ? []
      : [["Hours", visible(`${hours.hours} in ${hours.zone ?? "no known time zone"}, for live sends`)] as const]),
    ...(record === undefined ? [] : [["Record", visible(`${record.place} (from ${record.source})`)] as const]),
    ["Price", price === undefined ? "not known yet" : `${kes(price.kesPerCredit)} a credit, ${ago(price.at)}`],
  ]);
}

function modeOfStatus(mode: Status["mode"], isSandbox: boolean): string {
  if (mode === null) return "the mode of the key that the command prints";
  return isSandbox ? `${mode}; a sandbox answers there, so nothing is charged` : mode;
}

function spentText({ spent, reserved }: StatusDay): string {
  if (spent === null) return "not known without the key: --check runs the key command";
  const kept = reserved === 0 ? "" : " until the day ends: on the way, in doubt or cut off";
  return `${plural(spent, "credit")} spent since the limit was set, ${countText(reserved)} reserved${kept}`;
}

function credentialsText(credentials: Status["credentials"]): string {
  if (credentials.kind === "account") return credentials.email;
  if (credentials.kind === "command") return credentials.command;
  const { shown, ageDays } = credentials;
  return ageDays === null ? shown : `${shown}, ${plural(ageDays, "day")} old`;
}
