/**
 * What the page's address asks for, such as `#to=%2B254712345678`, `#message=ID`, `#requests`, `#faults` or `#request=7`.
 * @param {string} hash
 * @returns {{ readonly view: "messages" | "requests" | "faults", readonly to?: string, readonly message?: string, readonly request?: number }}
 */
export function routeIn(hash) {
  const parameters = new URLSearchParams(hash.slice(1));
  const request = parameters.get("request");
  if (request !== null) return { view: "requests", request: Number(request) };
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

/** @param {number} id */
export function requestAddress(id) {
  return `#request=${id}`;
}
