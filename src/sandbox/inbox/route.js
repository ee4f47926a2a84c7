/**
 * The number of a request, and when it arrived: after a restart of the sandbox another has its number.
 * @typedef {{ readonly id: number, readonly at?: string | null }} RequestName
 */

/**
 * What the page's address asks for, such as `#to=%2B254712345678`, `#message=ID`, `#requests`, `#faults` or
 * `#request=7&at=2030-01-01T08:00:00.000Z`.
 * @param {string} hash
 * @returns {{ readonly view: "messages" | "requests" | "faults", readonly to?: string, readonly message?: string, readonly request?: RequestName }}
 */
export function routeIn(hash) {
  // A plus that is not escaped is one of a number.
  const parameters = new URLSearchParams(hash.slice(1).replaceAll("+", "%2B"));
  const request = parameters.get("request");
  if (request !== null) return { view: "requests", request: { id: Number(request), at: parameters.get("at") } };
  if (parameters.has("requests")) return { view: "requests" };
  if (parameters.has("faults")) return { view: "faults" };
  const message = parameters.get("message");
  if (message !== null) return { view: "messages", message };
  const to = parameters.get("to");
  return { view: "messages", ...(to !== null && { to }) };
}

/** @param {string} to */
export function conversationAddress(to) {
  return `#to=${encodeURIComponent(to)}`;
}

/** @param {string} id */
export function messageAddress(id) {
  return `#message=${encodeURIComponent(id)}`;
}

/** @param {RequestName} request */
export function requestAddress({ id, at }) {
  return at ? `#request=${id}&at=${at}` : `#request=${id}`;
}
