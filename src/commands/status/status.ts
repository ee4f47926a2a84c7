import { Command } from "@commander-js/extra-typings";
import { sendPath } from "../../service/address.ts";
import { type EndingKind, endings } from "../../errors.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import { countText, plural } from "../../words/count.ts";
import { agoText, alignedLines, balanceText, kes } from "../../terminal/text.ts";
import type { Host } from "../../host.ts";
import { chooseProfile, type ChosenProfile } from "../../profiles/resolve.ts";
import { statusOf } from "../../profiles/keys.ts";
import type { Context, Runner, GlobalOptions } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { sendDefaults, warnOfRotation } from "../../profiles/defaults.ts";
import { isSandboxAt } from "../../sending/destination.ts";
import { notedOf, sharedRecord } from "../../profiles/record.ts";
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
  const chosen = chooseProfile(host, profile);
  const found = await statusOf(chosen, host, { noted: (payer) => notedOf(payer, host, chosen) });
  const around = await aroundOf(found, chosen, host);
  for (const warning of found.warnings) presenter.warn(warning);
  const { credentials } = found;
  if (credentials.kind === "key" && credentials.name !== null && credentials.ageDays !== null) {
    warnOfRotation({ name: credentials.name, ageDays: credentials.ageDays, profile }, presenter);
  }
  presenter.show({
    json: () => statusJson(found, around),
    quiet: () => [],
    text: (page) =>
      (heading === undefined ? "" : `${page.paint.good("✓")} ${heading}\n`) +
      statusText(found, { around, now: host.now() }, page),
  });
}

/** Shows the status with checks of it, and with `--quiet` only those that failed. Ends as the first of these says. */
async function showChecks({ profile }: GlobalOptions, context: Context): Promise<EndingKind> {
  const { checkAll } = await import("../../checks/checklist.ts");
  const { status, chosen, checks: found } = await checkAll(profile, context);
  const around = await aroundOf(status, chosen, context.host);
  const failed = found.filter(({ ok }) => ok === false);
  const width = Math.max(...found.map(({ label }) => label.length));
  context.presenter.show({
    json: (page) => ({
      ...statusJson(status, around),
      checks: found.map((one) => checkJson(one, page)),
    }),
    quiet: (page) => failed.map((one) => checkLine(one, width, page)),
    text: (page) =>
      `${statusText(status, { around, now: context.host.now() }, page)}\n` +
      found.map((one) => `${checkLine(one, width, page)}\n`).join(""),
  });
  return failed[0]?.failure?.kind ?? "accepted";
}

function checkJson({ check, ok, text, fix, failure }: NamedCheck, { foreign }: Page) {
  return {
    check,
    ok,
    text: foreign(text),
    ...(fix !== undefined && { fix: foreign(fix) }),
    ...(failure !== undefined && { errorCode: foreign(failure.errorCode), exitCode: endings[failure.kind].exitCode }),
  };
}

function checkLine({ label, ok, text, fix }: NamedCheck, width: number, page: Page): string {
  const { paint, foreign } = page;
  const mark = ok === null ? "-" : ok ? (fix === undefined ? paint.good("✓") : paint.doubtful("✓")) : paint.bad("✗");
  const words = foreign(fix === undefined ? text : `${text}; ${fix}`);
  return `${mark} ${label.padEnd(width)}  ${fitted(page, words, [0, width + 4])}`;
}

type Status = Awaited<ReturnType<typeof statusOf>>;

async function readDay({ account }: Status, chosen: ChosenProfile, host: Host) {
  return (await import("../../guards/spending.ts")).dayOf(account, chosen, host);
}

type StatusDay = NonNullable<Awaited<ReturnType<typeof readDay>>>;

/** Returns where the record of a team is, without a password; undefined if this machine keeps its own. Throws `INVALID_RECORD`. */
async function recordPlace(host: Host, chosen: ChosenProfile) {
  const shared = sharedRecord(host, chosen);
  if (shared === undefined) return undefined;
  const { readRecordAddress } = await import("../../record/postgres/address.ts");
  return { place: readRecordAddress(shared.url).place, source: shared.source };
}

/** Returns what a send would use besides credentials and base URL. */
async function aroundOf(status: Status, chosen: ChosenProfile, host: Host) {
  return {
    defaults: sendDefaults(host.environment, chosen.profile),
    day: await readDay(status, chosen, host),
    record: await recordPlace(host, chosen),
    isSandbox: status.mode !== "test" && (await isSandboxAt(status.address, host.interruption().stop)),
  };
}

type Around = Awaited<ReturnType<typeof aroundOf>>;

function statusJson(status: Status, { defaults, day, record, isSandbox }: Around) {
  const { profile, baseUrl, path, mode, credentials, sources, balance, lowBalance, price, onlyTo, hours } = status;
  const { kind, ...shown } = credentials;
  return {
    profile,
    baseUrl,
    path,
    mode,
    key: kind === "key" ? shown : null,
    ...(credentials.kind === "command" && { keyCommand: credentials.command }),
    sender: defaults.sender ?? null,
    country: defaults.country ?? null,
    zone: status.zone,
    rate: status.rate ?? null,
    history: status.history,
    ...(isSandbox && { sandbox: true }),
    sources,
    balance: balance ?? null,
    ...(lowBalance !== undefined && { lowBalance }),
    ...(day && { dailyCredits: dayJson(day) }),
    kesPerCredit: price?.kesPerCredit ?? null,
    ...(onlyTo.length > 0 && { onlyTo }),
    ...hours,
    ...(record && { record }),
  };
}

function dayJson({ date, limit, spent, reserved, left, endsAt }: StatusDay) {
  return { date, limit, spent, reserved, left, endsAt: new Date(endsAt).toISOString() };
}

function statusText(
  status: Status,
  { around: { defaults, day, record, isSandbox }, now }: { readonly around: Around; readonly now: number },
  page: Page,
): string {
  const { profile, baseUrl, path, mode, credentials, credentialsSource, sources, balance, price, hours } = status;
  const ago = (at: string) => agoText(Date.parse(at), now);
  return alignedLines(page, [
    ["Profile", visible(profile)],
    ["Base URL", `${baseUrl} (from ${sources.baseUrl})`],
    ...(path === sendPath ? [] : [["Path", path] as const]),
    [
      { account: "Account", command: "Key command", key: "Key" }[credentials.kind],
      `${visible(credentialsText(credentials))} (from ${visible(credentialsSource)})`,
    ],
    ["Mode", modeOfStatus(mode, isSandbox)],
    ["Sender", defaults.sender === undefined ? "the account's default" : visible(defaults.sender)],
    ["Country", defaults.country ?? "none: numbers need their +"],
    ...(status.rate === undefined ? [] : [["Rate", `${countText(status.rate)} requests a minute`] as const]),
    ...(hours !== undefined || status.zone === undefined ? [] : [["Zone", status.zone] as const]),
    ...(status.history === "on" ? [] : [["History", status.history] as const]),
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
