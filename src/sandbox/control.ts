import { usableKeys } from "./account.ts";
import { readAsset } from "./assets.ts";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, bare, json, notFound, refusal, type Reply } from "./reply.ts";
import { answerSend, type Routes, type Service } from "./send.ts";
import { e164, parseObject } from "./send-request.ts";
import { problemsOf, readSetup } from "./setup.ts";
import type { SandboxMessage } from "./history.ts";

/** The endpoints with which the page, a test or `sms sandbox messages` reads and changes a sandbox. */
export const controlRoutes: Routes = {
  "/_sandbox/messages": { GET: listMessages, DELETE: deleteMessages },
  "/_sandbox/undo": { POST: undoDeletion },
  "/_sandbox/events": { GET: showFeed },
  "/_sandbox/earlier": { GET: showEarlier },
  "/_sandbox/openapi.yaml": { GET: showDescription },
  "/_sandbox/requests": { GET: showRequests },
  "/_sandbox/account": { GET: showAccount, POST: changeAccount },
  "/_sandbox/reset": { POST: reset },
  "/_sandbox/send": { POST: sendOne },
};

function listMessages({ account }: Service, { query }: HttpRequest): Reply {
  const messages = account.messages();
  const filter = readMessageFilter(query, messages);
  return typeof filter === "string" ? invalid(filter) : fresh(messages.filter(filter));
}

/**
 * Deletes messages, refusals and requests; with `to` or `id` only messages and refusals to that number, or one message. The
 * header `Deletion` has a number for `undoDeletion`. If `after` is the number of the last one, one undo brings back both.
 */
function deleteMessages({ account, requests }: Service, { query }: HttpRequest): Reply {
  const unknown = [...query.keys()].find((name) => !["to", "id", "after"].includes(name));
  if (unknown !== undefined) return invalid(`${unknown} is unknown; use to, id or after`);
  const joins = query.get("after") === String(account.deletions());
  const [to, id] = [query.get("to"), query.get("id")];
  if (to !== null || id !== null) {
    const remove = (number: string | undefined) =>
      account.remove((entry) => entry.to === number || ("messageId" in entry && entry.messageId === id), joins);
    // An unescaped plus in a query arrives as a space.
    const found = remove(to ?? undefined) || remove(to?.replace(/^ /, "+"));
    if (!found) return notFound;
    if (!joins) requests.endUndo();
  } else if (account.entries.length + requests.list().length > 0) {
    // Deleting twice changes nothing, so that the first deletion can be undone.
    requests.clear(joins);
    account.clear(joins);
  }
  return { ...bare(204), headers: { Deletion: String(account.deletions()) } };
}

/** Brings back what the last deletion took, with those that it joined; 404 if nothing was deleted, or if it is not the deletion `of` that number. */
function undoDeletion({ account, requests }: Service, { query }: HttpRequest): Reply {
  const last = String(account.deletions());
  if ((query.get("of") ?? last) !== last) return notFound;
  requests.undo();
  return account.undo() ? bare(204) : notFound;
}

function showFeed({ account, feed }: Service, { host }: HttpRequest): Reply {
  return feed.replyWith({ url: `http://${host}`, ...account.summary(), ...account.page() });
}

function showRequests({ requests }: Service, { query }: HttpRequest): Reply {
  const id = query.get("id");
  if (id === null) return fresh(requests.list());
  const exchange = requests.exchange(Number(id));
  return exchange === undefined ? notFound : fresh(exchange);
}

function showEarlier({ account }: Service, { query }: HttpRequest): Reply {
  const place = query.get("place") ?? "";
  return /^\d{1,15}$/.test(place) ? fresh(account.page(Number(place))) : invalid("place must be a whole number");
}

function showDescription(): Reply {
  const headers = { "Content-Type": "application/yaml", "X-Content-Type-Options": "nosniff" };
  return { kind: "answer", status: 200, headers, body: readAsset("sandbox/openapi.yaml").toString() };
}

function reset({ account, faults, requests }: Service): Reply {
  faults.reset();
  requests.clear();
  requests.endUndo();
  account.reset();
  return bare(204);
}

/**
 * Sends a message to the number in the body, by a test key if there is one, and returns why it was answered so. The page
 * does not send itself: a browser sends again what is cut off.
 */
function sendOne(service: Service, request: HttpRequest): Reply {
  const fields = request.body && parseObject(request.body);
  if (typeof fields?.["to"] !== "string") return invalid("to must be a number");
  const setup = service.account.setup();
  const keys = usableKeys(setup);
  const authorization = `Bearer ${keys.find((key) => key.startsWith("sk_test_")) ?? keys[0] ?? ""}`;
  const contentType = "application/json";
  const path = setup.paths[0] ?? "";
  const sent = {
    ...request,
    path,
    target: path,
    authorization,
    contentType,
    headers: Object.entries({ Authorization: authorization, "Content-Type": contentType }),
    body: Buffer.from(JSON.stringify({ to: fields["to"], message: "Sent by the sandbox" })),
  };
  const handled = answerSend(service, sent);
  service.requests.record(sent, handled, []);
  return fresh({ reason: handled.reason });
}

/** Shows the account in the form that `changeAccount` reads. */
function showAccount({ account }: Service): Answer {
  const setup = account.setup();
  return fresh({ ...setup, faults: setup.faults.text });
}

function changeAccount(service: Service, { body }: HttpRequest): Answer {
  try {
    service.account.change(readSetup(body && parseObject(body)));
  } catch (error) {
    return invalid(problemsOf(error).join("; "));
  }
  return showAccount(service);
}

function invalid(error: string): Answer {
  return refusal(400, "INVALID_REQUEST", error);
}

function fresh(value: unknown): Answer {
  return json(200, value, { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
}

/** A filter for `to` and `since` (after the message with that id), or what is wrong. */
function readMessageFilter(
  query: URLSearchParams,
  messages: readonly SandboxMessage[],
): ((message: SandboxMessage, index: number) => boolean) | string {
  for (const name of new Set(query.keys())) {
    if (name !== "to" && name !== "since") return `${name} is unknown; use to or since`;
    if (query.getAll(name).length > 1) return `${name} is given twice`;
  }
  // An unescaped plus in a query arrives as a space.
  const to = query.get("to")?.replace(/^ /, "+");
  if (to !== undefined && !e164.test(to)) return "to must be a number in E.164 format";
  const since = query.get("since");
  const place = messages.findIndex(({ messageId }) => messageId === since);
  if (since !== null && place < 0) return "since must be the id of a message in the sandbox";
  return (message, index) => index > place && (to === undefined || message.to === to);
}
