import type { ShownFaults } from "../sandbox/faults.ts";
import type { SandboxExchange } from "../sandbox/request-log.ts";
import type { AccountSetup } from "../sandbox/setup.ts";
import { hidden } from "./text.tsx";

/** Set by curl itself, or only true for the connection that was used. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

/** Of an account, what a sandbox starts with, and `sandboxCommand` has no option for. */
const usual: Readonly<Record<string, unknown>> = {
  kesPerCredit: 0.8,
  keys: ["sk_test_sandbox", "sk_live_sandbox"].map((key) => ({ key, revoked: false, ips: [] })),
  account: { email: "sandbox@example.com", password: "sandbox" },
  senders: ["SANDBOX", "ACME"].map((name, index) => ({ name, id: `5e4de00000000000000000a${index + 1}` })),
  paths: ["/api/v1/sms/send"],
  bodyCredentials: null,
};

/** The `curl` command that repeats a request. It takes the credentials from the environment, since the page has none. */
export function curlCommand({ method, target, headers, body }: SandboxExchange, url: string): string {
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

/** The `sms send` command of the same message; undefined if there is no number, or no text that a command line can carry. */
export function smsCommand({ body }: SandboxExchange, url: string): string | undefined {
  const { to, message, senderIdName, senderId } = fieldsOf(body);
  if (typeof to !== "string" || typeof message !== "string" || message.includes("\0")) return undefined;
  // sms takes such a text for an option or a file.
  const isPiped = /^[-@]/.test(message);
  return [
    ...(isPiped ? [`printf %s ${quoted(message)} |`] : []),
    `SMS_BASE_URL=${url} sms send --to ${quoted(to)}`,
    ...(typeof senderIdName === "string" ? [`--sender ${quoted(senderIdName)}`] : []),
    ...(typeof senderId === "string" ? [`--sender ${quoted(senderId)}`] : []),
    ...(message.includes("{{") ? ["--literal"] : []),
    `--message ${isPiped ? "-" : quoted(message)}`,
  ].join(" ");
}

/** The command line that starts a sandbox with that account and these faults. */
export function sandboxCommand(
  { tier, rate, credits, ...others }: AccountSetup,
  { faults, seed }: ShownFaults,
): string {
  const unusual = Object.entries(others).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]),
  );
  const config = quoted(JSON.stringify(Object.fromEntries(unusual)));
  return [
    ...(unusual.length === 0 ? ["sms sandbox"] : [`printf %s ${config} | sms sandbox --config /dev/stdin`]),
    rate === null ? `--tier ${tier}` : `--rate ${rate}`,
    `--credits ${credits}`,
    ...(faults === "none" ? [] : [`--fault ${quoted(faults)}`, `--seed ${seed}`]),
  ].join(" ");
}

function headerOption(name: string, value: string): string {
  const [, scheme = ""] = /^(bearer|basic) /i.exec(name.toLowerCase() === "authorization" ? value : "") ?? [];
  if (scheme.toLowerCase() === "bearer") return `--header "${name}: Bearer $SMS_API_KEY"`;
  if (scheme !== "") return '--user "$SMS_EMAIL:$SMS_PASSWORD"';
  // With a colon, curl leaves out a header that is empty.
  return `--header ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`;
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/** One word for a POSIX shell. A terminal obeys a control character within quotes, so `printf` makes it. */
function quoted(text: string): string {
  if (/^[\w+:/.,@%-]+$/.test(text)) return text;
  const escaped = text.replaceAll("'", String.raw`'\''`).replace(hidden, (found) => `'"$(printf '${octal(found)}')"'`);
  return `'${escaped}'`;
}

function octal(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
