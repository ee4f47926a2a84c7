/** The number of a request, and when it arrived: after a restart of the sandbox another has its number. */
export type RequestName = Readonly<{ id: number; at?: string | null }>;

export type Route = Readonly<{
  view: "messages" | "requests" | "faults";
  to?: string;
  message?: string;
  request?: RequestName;
}>;

/** What the page's address asks for, such as `#to=%2B254712345678`, `#message=ID`, `#requests` or `#request=7&at=TIME`. */
export function routeIn(hash: string): Route {
  // A plus that is not escaped is one of a number.
  const parameters = new URLSearchParams(hash.slice(1).replaceAll("+", "%2B"));
  const request = parameters.get("request");
  if (request !== null) return { view: "requests", request: { id: Number(request), at: parameters.get("at") } };
  if (parameters.has("requests")) return { view: "requests" };
  if (parameters.has("faults")) return { view: "faults" };
  const [message, to] = [parameters.get("message"), parameters.get("to")];
  if (message !== null) return { view: "messages", message };
  return { view: "messages", ...(to !== null && { to }) };
}

export const conversationAddress = (to: string): string => `#to=${encodeURIComponent(to)}`;

export const messageAddress = (id: string): string => `#message=${encodeURIComponent(id)}`;

export const requestAddress = ({ id, at }: RequestName): string => `#request=${id}${at ? `&at=${at}` : ""}`;
