/** @import { SandboxExchange } from "../request-log.ts" */
/** @import { AccountSetup } from "../setup.ts" */

/** Set by curl itself, or only true for the connection that was used. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

/**
 * The `curl` command that repeats a request. Its key is $SMS_API_KEY, as the page has none.
 * @param {SandboxExchange} exchange
 * @param {string} url of the sandbox
 */
export function curlCommand({ method, target, headers, body }, url) {
  const fields = headers.filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  return [
    `curl --request ${method} ${quoted(url + target)}`,
    ...fields.map(([name, value]) => `--header ${headerWord(name, value)}`),
    ...(body === "" ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/**
 * The `sms send` command of the same message; undefined if the request has no number or no text.
 * @param {SandboxExchange} exchange
 * @param {string} url of the sandbox
 */
export function smsCommand({ body }, url) {
  const { to, message, senderIdName } = fieldsOf(body);
  if (typeof to !== "string" || typeof message !== "string") return undefined;
  const sender = typeof senderIdName === "string" ? ` --sender ${quoted(senderIdName)}` : "";
  return `SMS_BASE_URL=${url} sms send --to ${quoted(to)}${sender} --message ${quoted(message)}`;
}

/**
 * @param {string} name
 * @param {string} value
 */
function headerWord(name, value) {
  const isKey = name.toLowerCase() === "authorization" && /^bearer /i.test(value);
  return isKey ? `"${name}: Bearer $SMS_API_KEY"` : quoted(`${name}: ${value}`);
}

/**
 * @param {string} body
 * @returns {Readonly<Record<string, unknown>>}
 */
function fieldsOf(body) {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/**
 * One word for a POSIX shell.
 * @param {string} text
 */
function quoted(text) {
  return /^[\w+:/.,@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The command line that starts a sandbox with that account and these faults.
 * @param {AccountSetup} account
 * @param {{ faults: string, seed: number }} behaviour
 */
export function sandboxCommand({ tier, rate, credits, keys }, { faults, seed }) {
  const isRevoked = keys.some(({ revoked }) => revoked);
  const config = isRevoked ? [`echo ${quoted(JSON.stringify({ keys }))} > sandbox.json`] : [];
  const command = [
    "sms sandbox",
    ...(isRevoked ? ["--config sandbox.json"] : []),
    rate === null ? `--tier ${tier}` : `--rate ${rate}`,
    `--credits ${credits}`,
    ...(faults === "none" ? [] : [`--fault ${quoted(faults)}`, `--seed ${seed}`]),
  ];
  return [...config, command.join(" ")].join("\n");
}
