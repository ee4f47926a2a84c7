import { variable } from "../../core/variable.ts";
import { fileError, SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { configFolder, stateFolder } from "../../profiles/folders.ts";
import type { Profile } from "../../profiles/stored.ts";
import type { HistoryFolders } from "../../record/sends.ts";
import type { RunFiles } from "../../runs/run-files.ts";
import type { Context } from "./context.ts";

/** Returns where a send is recorded; undefined if SMS_HISTORY or the profile turns the history off, or there is no folder. */
export function historyOf(host: Host, profile: Profile | undefined): HistoryFolders | undefined {
  const setting = variable(host.environment, "SMS_HISTORY") ?? profile?.defaults.history;
  if (setting !== undefined && setting !== "on" && setting !== "off") {
    throw usageError("INVALID_OPTION", `SMS_HISTORY does not take ${JSON.stringify(setting)}`, "set it to on or off");
  }
  const state = setting === "off" ? undefined : stateFolder(host);
  return state && { state, config: configFolder(host) };
}

/**
 * Copies a run that is about to be removed into the history, unless SMS_HISTORY is off. Throws `NOT_WRITTEN` if that fails,
 * and warns of a damaged run, of which there is nothing to copy.
 */
export async function keepInHistory(files: RunFiles, { host, presenter }: Context): Promise<void> {
  const folders = historyOf(host, undefined);
  if (folders === undefined) return;
  const { keepRun } = await import("../../record/removed-runs.ts");
  try {
    await keepRun(files, folders.config);
  } catch (error) {
    const known = error instanceof SmsError ? error : fileError(error);
    if (known === undefined) throw error;
    if (known.errorCode !== "RUN_DAMAGED") {
      throw usageError(
        "NOT_WRITTEN",
        `run ${files.name} is not removed, because the history would lose it: ${known.message}`,
        `${known.hint ?? "make the history writable"}; with SMS_HISTORY=off it is removed, and \`sms spend\` no longer counts it`,
      );
    }
    presenter.warn(`run ${files.name} is not in the history any more: ${known.message}`);
  }
}
