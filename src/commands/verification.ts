import { type Address, requireSafeFor } from "../core/address.ts";
import { type Credentials, secretsOf } from "../core/credentials.ts";
import { SmsError } from "../errors.ts";
import { sendHint } from "../output/text.ts";
import { exchange } from "../service/transport.ts";
import { openDispatcher } from "../service/transport.ts";
import { verify } from "../service/verify.ts";
import { userAgent } from "../version.ts";
import type { Context } from "./context.ts";
import { wayTo } from "./destination.ts";

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
  { host, redactor }: Context,
): Promise<string> {
  requireSafeFor(credentials, address);
  const { token, password = "" } = secretsOf(credentials);
  redactor.learn(token);
  redactor.learnWord(password);
  host.limitLookups(patience);
  const dispatcher = await openDispatcher(address.origin, wayTo({ address, credentials }, host.environment));
  const { stop, leave } = host.interruption();
  const deadline = AbortSignal.timeout(patience);
  try {
    const verdict = await verify(
      { address, credentials },
      userAgent,
      // Nothing can be delivered by this request, so it is broken off at the first signal.
      (request) => exchange(dispatcher, request, { deadline, stop, leave: AbortSignal.any([stop, leave]) }),
      host.now(),
    );
    if (stop.aborted)
      throw new SmsError("interrupted", "interrupted", { errorCode: "INTERRUPTED", outcome: "none" });
    if (verdict.kind === "taken") return verdict.path;
    const { kind, error, errorCode, httpStatus } = verdict.failure;
    throw new SmsError(verdict.kind === "refused" ? "unauthorized" : kind, error, {
      errorCode,
      hint: sendHint(kind, source, "the base URL given") ?? "nothing was stored; try again",
      outcome: "none",
      ...(httpStatus !== undefined && { httpStatus }),
    });
  } finally {
    await dispatcher.destroy();
  }
}
