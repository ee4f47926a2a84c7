import { feedOf } from "./feed.ts";
import type { HttpRequest } from "./http-request.ts";
import { faultsOf } from "./json-reader.ts";
import { readMessageFilter } from "./message-filter.ts";
import { type Answer, bare, json, refusal, type Reply } from "./reply.ts";
import type { Service } from "./send.ts";
import { parseObject } from "./send-request.ts";
import { readAccountSetup, readFaultSetup } from "./setup-reader.ts";

/** What was taken, oldest first, as far as the query asks for it. */
export function listMessages({ account }: Service, { query }: HttpRequest): Reply {
  const filter = readMessageFilter(query, account.messages);
  return typeof filter === "string" ? invalid([filter]) : fresh(account.messages.filter(filter));
}

/** Forgets what was taken and what was refused. */
export function clearMessages({ account }: Service): Reply {
  account.clear();
  return bare(204);
}

/** Tells everything as it happens. */
export function showFeed({ account }: Service, { host }: HttpRequest): Reply {
  return feedOf(account, `http://${host}`);
}

/** The account as it is, in the form in which it can be told. */
export function showAccount({ account }: Service): Reply {
  return fresh(account.setup());
}

/** Changes the account, and answers with what it has become. */
export function changeAccount(service: Service, request: HttpRequest): Reply {
  return change(request, readAccountSetup, (told) => {
    service.account.change(told);
    return showAccount(service);
  });
}

/** The faults as they are, in the form in which they can be told. */
export function showFaults({ behaviours }: Service): Reply {
  const { faults, seed } = behaviours.setup();
  return fresh({ faults: faults.text, seed });
}

/** Changes the faults, begins to draw anew, and answers with what they have become. */
export function changeFaults(service: Service, request: HttpRequest): Reply {
  return change(request, readFaultSetup, (told) => {
    service.behaviours.change(told);
    return showFaults(service);
  });
}

/** Makes everything what it was in the beginning. */
export function reset({ account, behaviours }: Service): Reply {
  behaviours.reset();
  account.reset();
  return bare(204);
}

function change<T>({ body }: HttpRequest, read: (value: unknown) => T, make: (told: T) => Reply): Reply {
  let told: T;
  try {
    told = read(body === undefined ? undefined : parseObject(body));
  } catch (error) {
    return invalid(faultsOf(error));
  }
  return make(told);
}

function invalid(faults: readonly string[]): Answer {
  return refusal(400, "INVALID_REQUEST", faults.join("; "));
}

function fresh(value: unknown): Answer {
  return json(200, value, { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
}
