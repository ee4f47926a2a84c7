import type { LoggedRequest, LoggedExchange } from "../log.ts";
import { hidden } from "./pieces.tsx";

/** Set by curl itself, or only true for the connection that was used. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

/** The command takes the credentials from the environment, since the page has none. */
export function curlCommand(
  {
    method,
    target,
    headers,
    body,
  }: Pick<LoggedRequest, "method" | "target"> & Pick<LoggedExchange, "headers" | "body">,
  url: string,
): string {
  const fields = headers.filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  // curl sends several requests for one address with brackets, and shortens a path with dots.
  const asIs = /[[\]{}]|\/\./.test(target) ? " --globoff --path-as-is" : "";
  const isTyped = fields.some(([name]) => name.toLowerCase() === "content-type");
  return [
    `curl ${method === "HEAD" ? "--head" : `--request ${method}`}${asIs} ${quoted(url + target)}`,
    ...fields.map(([name, value]) => headerOption(name, value)),
    // Without it, curl adds the type of a form.
    ...(body === "" || isTyped ? [] : ["--header Content-Type:"]),
    ...(body === "" ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

function headerOption(name: string, value: string): string {
  const [, scheme = ""] = /^(bearer|basic) /i.exec(name.toLowerCase() === "authorization" ? value : "") ?? [];
  if (scheme.toLowerCase() === "bearer") return `--header "${name}: Bearer $SMS_API_KEY"`;
  if (scheme !== "") return '--user "$SMS_EMAIL:$SMS_PASSWORD"';
  // With a colon, curl leaves out a header that is empty.
  return `--header ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`;
}

/** One word for a POSIX shell. A terminal obeys a control character within quotes, so `printf` makes it. */
function quoted(text: string): string {
  if (/^[\w+:/.,@%-]+$/.test(text)) return text;
  const escaped = text
    .replaceAll("'", String.raw`'\''`)
    .replace(hidden, (character) => `'"$(printf '${octal(character)}')"'`);
  return `'${escaped}'`;
}

function octal(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
