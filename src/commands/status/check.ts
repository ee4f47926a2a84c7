import { variable } from "../../core/variable.ts";
import { type EndingKind, SmsError } from "../../errors.ts";
import { rulesOf } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import { type Check, checksView, failed } from "../../output/checks.ts";
import { statusView } from "../../output/status.ts";
import { type ChosenProfile, chooseProfile, loadStore, resolve } from "../../profiles/resolve.ts";
import { statusOf } from "../../profiles/status.ts";
import type { Context } from "../shared/context.ts";
import { announceKeyCommand } from "../shared/destination.ts";
import { readLists } from "../shared/number-lists.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { attempt } from "./attempt.ts";
import { checkCredentialsFolder, checkRoom, checkStateFolder } from "./folder-checks.ts";
import { checkRotation, checkService } from "./service-checks.ts";

/** Shows what the next send would use, and checks it. Ends as the first check that failed says. */
export async function checkStatus({ profile }: GlobalOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const credentialsFolder = checkCredentialsFolder(host);
  const choose = () => chooseProfile(loadStore(host), host.environment, profile);
  const chosen = credentialsFolder.ok === false ? undefined : await attempt(async () => choose());
  const announce = (source: string) => announceKeyCommand(source, presenter);
  const status = await attemptWith(chosen, (choice) => statusOf(choice, host));
  const resolved = await attemptWith(chosen, (choice) => resolve(host, choice, announce));
  const { service, clock } = await checkService(resolved instanceof SmsError ? undefined : resolved, context);
  const checks: readonly Check[] = [
    configurationCheck(resolved),
    ...service,
    checkRotation(status instanceof SmsError ? undefined : status?.credentials, profile),
    credentialsFolder,
    checkStateFolder(host),
    ...(await checkOnlyTo(chosen, host)),
    checkRoom(host),
    clock,
  ];
  const known = status === undefined || status instanceof SmsError ? undefined : statusView(status, host.now());
  presenter.show(checksView(known, checks));
  return checks.find(({ ok }) => ok === false)?.failure?.kind ?? "accepted";
}

function configurationCheck(resolved: object | undefined): Check {
  if (resolved instanceof SmsError) return failed("configuration", resolved);
  const check = "configuration";
  return resolved === undefined
    ? { check, ok: null, text: "not checked: the stored credentials cannot be used" }
    : { check, ok: true, text: "base URL and credentials are set" };
}

/** Checks that the lists that all recipients must be in can be read. Returns nothing if there is none. */
async function checkOnlyTo(chosen: ChosenProfile | SmsError | undefined, host: Host): Promise<readonly Check[]> {
  if (chosen === undefined || chosen instanceof SmsError) return [];
  const guards = await attempt(async () => {
    const ofEnvironment = variable(host.environment, "SMS_ONLY_TO");
    if ((ofEnvironment ?? chosen.profile?.defaults.onlyTo) === undefined) return [];
    return readLists({ exclude: undefined, onlyTo: undefined, variable: ofEnvironment, chosen }, undefined, host);
  });
  if (guards instanceof SmsError) return [failed("only-to", guards)];
  if (guards.length === 0) return [];
  return [{ check: "only-to", ok: true, text: rulesOf(guards).join(", and ") }];
}

/** Attempts work on what an earlier attempt returned; returns its error instead if that failed. */
async function attemptWith<T>(
  chosen: ChosenProfile | SmsError | undefined,
  work: (chosen: ChosenProfile) => Promise<T>,
): Promise<T | SmsError | undefined> {
  return chosen === undefined || chosen instanceof SmsError ? chosen : attempt(() => work(chosen));
}
