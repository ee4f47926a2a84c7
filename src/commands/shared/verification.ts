import { type Address, requireSafeFor } from "../../core/address.ts";
import type { Credentials } from "../../core/credentials.ts";
import { type ErrorKind, interruption, SmsError } from "../../errors.ts";
import { sendHint } from "../../output/text.ts";
import { exchange, openDispatcher } from "../../service/transport.ts";
import { verify } from "../../service/verify.ts";
import { userAgent } from "../../version.ts";
import type { Context } from "./context.ts";
import { wayTo } from "./destination.ts";
import { learnCredentials } from "./secrets.ts";

/** How long the service may take to answer. Milliseconds. */
const patience = 30_000;

/**
 * Asks the service whether it takes these credentials and gives the path at which it does. Throws what it answered where
 * it does not, or did not say. `source` says where the credentials came from.
 */
export async function requireTaken(
  address: Address,
  credentials: Credentials,
  source: string,
  { host, redactor, presenter }: Context,
): Promise<string> {
  requireSafeFor(credentials, address);
  learnCredentials(redactor, credentials);
  host.limitLookups(patience);
  const dispatcher = await openDispatcher(address.origin, wayTo({ address, credentials }, host.environment));
  const { stop, leave } = host.interruption();
  const either = AbortSignal.any([stop, leave]);
  const deadline = AbortSignal.timeout(patience);
  const log = presenter.wireLog?.();
  try {
    const verdict = await verify(
      { address, credentials },
      userAgent,
      // Nothing can be delivered by this request, so it is broken off at the first signal.
      async (request) => {
        log?.({ kind: "request", request });
        const answer = await exchange(dispatcher, request, { deadline, stop, leave: either });
        log?.({ kind: "exchange", exchange: answer });
        return answer;
      },
      host.now(),
    );
    if (stop.aborted) throw interruption(stop, "none");
    if (verdict.kind === "taken") return verdict.path;
    const { kind, error, errorCode, httpStatus } = verdict.failure;
    throw new SmsError(verdict.kind === "refused" ? "unauthorized" : kind, error, {
      errorCode,
      hint: checkHint(kind, source),
      outcome: "none",
      ...(httpStatus !== undefined && { httpStatus }),
    });
  } finally {
    await dispatcher.destroy();
  }
}

/** What to do next; nothing can have been delivered by the check, so a doubt is no more than that. */
function checkHint(kind: ErrorKind, source: string): string {
  const isDoubt = kind === "no-answer" || kind === "server-error";
  const hint = isDoubt ? undefined : sendHint(kind, source, "the base URL given");
  return hint ?? "nothing was changed; try again";
}
