import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Looks a name up as the system does, but for localhost, which is this machine whatever a name server says (RFC 6761, 6.3): a
 * live key may go there unencrypted.
 */
export const lookUp: LookupFunction = (name, options, callback) => {
  if (name.toLowerCase() !== "localhost") return lookup(name, options, callback);
  const all = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ].filter(({ family }) => !options.family || options.family === family || options.family === `IPv${family}`);
  const [first] = all;
  queueMicrotask(() =>
    options.all ? callback(null, all) : callback(null, first?.address ?? "127.0.0.1", first?.family),
  );
};
