import { type Address, certificateWarning, requireSafeFor } from "../../core/address.ts";
import type { Credentials } from "../../core/credentials.ts";
import { type ErrorKind, interruption, SmsError } from "../../errors.ts";
import { sendHint } from "../../output/text.ts";
import { loadStore } from "../../profiles/resolve.ts";
import { exchange, openDispatcher } from "../../service/transport.ts";
import type { WireRequest } from "../../service/request.ts";
import { verify } from "../../service/verify.ts";
import { userAgent } from "../../version.ts";
import type { Context } from "./context.ts";
import { wayTo } from "./destination.ts";
import { learnCredentials, learnProfile } from "./secrets.ts";

/** How long to wait for the service. Milliseconds. */
const timeout = 30_000;

/** Returns the path at which the service accepts these credentials. Throws if it refuses or does not say. */
export async function verifyCredentials(
  { address, credentials }: { readonly address: Address; readonly credentials: Credentials },
  source: string,
  { host, redactor, presenter }: Context,
): Promise<string> {
  requireSafeFor(credentials, address, host.environment);
  const warning = certificateWarning(address, host.environment);
  if (warning !== undefined) presenter.warn(warning);
  learnCredentials(redactor, credentials);
  for (const profile of Object.values(loadStore(host).profiles)) learnProfile(redactor, profile);
  host.limitLookups(timeout);
  const dispatcher = await openDispatcher(address.origin, wayTo({ address, credentials }, host.environment));
  const { stop, leave } = host.interruption();
  const either = AbortSignal.any([stop, leave]);
  const deadline = AbortSignal.timeout(timeout);
  const log = presenter.wireLog?.();
  try {
    // This request cannot deliver a message, so the first signal aborts it.
    const send = async (request: WireRequest) => {
      log?.({ kind: "request", request });
      const answer = await exchange(dispatcher, request, { deadline, stop, leave: either });
      log?.({ kind: "exchange", exchange: answer });
      return answer;
    };
    const what = credentials.kind === "key" ? "the key" : "the password";
    const verdict = await presenter.waitFor(`Checking ${what} at ${address.origin}`, () =>
      verify({ address, credentials }, userAgent, send, host.now()),
    );
    if (stop.aborted) throw interruption(stop, "none");
    if (verdict.kind === "taken") return verdict.path;
    const { kind, error, errorCode, httpStatus } = verdict.failure;
    throw new SmsError(verdict.kind === "refused" ? "unauthorized" : kind, error, {
      errorCode,
      hint: verdict.hint ?? checkHint(kind, source),
      outcome: "none",
      ...(httpStatus !== undefined && { httpStatus }),
    });
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns the next step. The check cannot have delivered anything, so trying again is safe. */
function checkHint(kind: ErrorKind, source: string): string {
  const isUncertain = kind === "no-answer" || kind === "server-error";
  const hint = isUncertain ? undefined : sendHint(kind, source, "the base URL given");
  return hint ?? "nothing was changed; try again";
}
