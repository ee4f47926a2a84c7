import { readAsset } from "./assets.ts";
import type { HttpRequest } from "./http-request.ts";
import { messagesCsv, readMessageFilter } from "./message-filter.ts";
import { type Answer, bare, json, notFound, refusal, type Reply } from "./reply.ts";
import type { Service } from "./send.ts";
import { parseObject } from "./send-request.ts";
import { problemsOf, readAccountSetup, readFaultSetup } from "./setup.ts";

export function listMessages({ account }: Service, { query }: HttpRequest): Reply {
  const messages = account.messages();
  const filter = readMessageFilter(query, messages);
  return typeof filter === "string" ? invalid(filter) : fresh(messages.filter(filter));
}

/**
 * Deletes messages, refusals and requests; with `to` or `id` only messages and refusals to that number, or one message. The
 * header `Deletion` has a number for `undoDeletion`.
 */
export function deleteMessages({ account, requests }: Service, { query }: HttpRequest): Reply {
  const unknown = [...query.keys()].find((name) => name !== "to" && name !== "id");
  if (unknown !== undefined) return invalid(`${unknown} is unknown; use to or id`);
  const [to, id] = [query.get("to"), query.get("id")];
  if (to !== null || id !== null) {
    const remove = (number: string | undefined) =>
      account.remove((entry) => entry.to === number || ("messageId" in entry && entry.messageId === id));
    // An unescaped plus in a query arrives as a space.
    const found = remove(to ?? undefined) || remove(to?.replace(/^ /, "+"));
    if (!found) return notFound;
    requests.endUndo();
  } else if (account.entries.length + requests.list().length > 0) {
    // Deleting twice changes nothing, so that the first deletion can be undone.
    requests.clear();
    account.clear();
  }
  return { ...bare(204), headers: { Deletion: String(account.deletions()) } };
}

/** Brings back what the last deletion took; 404 if nothing was deleted, or if it is not the deletion `of` that number. */
export function undoDeletion({ account, requests }: Service, { query }: HttpRequest): Reply {
  const last = String(account.deletions());
  if ((query.get("of") ?? last) !== last) return notFound;
  requests.undo();
  return account.undo() ? bare(204) : notFound;
}

export function exportMessages({ account }: Service, { query }: HttpRequest): Reply {
  const messages = account.messages();
  const filter = readMessageFilter(query, messages);
  if (typeof filter === "string") return invalid(filter);
  const headers = { "Content-Type": "text/csv; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  return { kind: "answer", status: 200, headers, body: messagesCsv(messages.filter(filter)) };
}

export function showFeed({ account, faults, feed }: Service, { host }: HttpRequest): Reply {
  return feed.replyWith({ url: `http://${host}`, ...account.summary(), ...faults.shown(), ...account.page() });
}

export function showRequests({ requests }: Service, { query }: HttpRequest): Reply {
  const id = query.get("id");
  if (id === null) return fresh(requests.list());
  const exchange = requests.exchange(Number(id));
  return exchange === undefined ? notFound : fresh(exchange);
}

export function showEarlier({ account }: Service, { query }: HttpRequest): Reply {
  const place = query.get("place") ?? "";
  return /^\d{1,15}$/.test(place) ? fresh(account.page(Number(place))) : invalid("place must be a whole number");
}

export function showDescription(): Reply {
  const headers = { "Content-Type": "application/yaml", "X-Content-Type-Options": "nosniff" };
  return { kind: "answer", status: 200, headers, body: readAsset("sandbox/openapi.yaml").toString() };
}

export function showAccount({ account }: Service): Reply {
  return fresh(account.setup());
}

export function changeAccount(service: Service, request: HttpRequest): Reply {
  return change(request, readAccountSetup, (setup) => {
    service.account.change(setup);
    return showAccount(service);
  });
}

export function showFaults({ faults }: Service): Reply {
  return fresh(faults.shown());
}

export function changeFaults(service: Service, request: HttpRequest): Reply {
  return change(request, readFaultSetup, (setup) => {
    service.faults.change(setup);
    return showFaults(service);
  });
}

export function reset({ account, faults, requests }: Service): Reply {
  faults.reset();
  requests.clear();
  requests.endUndo();
  account.reset();
  return bare(204);
}

function change<T>({ body }: HttpRequest, read: (value: unknown) => T, apply: (setup: T) => Reply): Reply {
  let setup: T;
  try {
    setup = read(body === undefined ? undefined : parseObject(body));
  } catch (error) {
    return invalid(problemsOf(error).join("; "));
  }
  return apply(setup);
}

function invalid(error: string): Answer {
  return refusal(400, "INVALID_REQUEST", error);
}

function fresh(value: unknown): Answer {
  return json(200, value, { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
}
