/** @import { Entry } from "./mailbox.js" */
/** @import { SandboxMessage, SandboxRefusal } from "../account.ts" */
import { clock } from "./clock.js";
import { copyButton } from "./copy.js";
import { deleteButton } from "./deletion.js";
import { count, element } from "./dom.js";
import { messageAddress, requestAddress } from "./route.js";
import { oneLine, textNodes } from "./text.js";

/** What was wrong with the answer, by fault or number ending. */
const brokenAnswers = new Map([
  ["000598", "the connection was cut"],
  ["reset-after", "the connection was cut"],
  ["000599", "no answer"],
  ["hang", "no answer"],
  ["000200", "the answer was not JSON"],
  ["garbage", "the answer was not JSON"],
  ["cut-body", "half an answer"],
]);

/**
 * An entry of a thread: an accepted message as a phone shows it, or a refusal.
 * @param {Entry} entry
 */
export function entryElement(entry) {
  return entry.kind === "message" ? accepted(entry) : refused(entry);
}

/**
 * What went wrong with an entry, in a few words, if anything.
 * @param {({ kind: "message" } & SandboxMessage) | ({ kind: "refusal" } & SandboxRefusal)} entry
 */
export function problemOf(entry) {
  if (entry.kind === "message") return entry.fault === undefined ? undefined : describeFault(entry.fault);
  if (entry.status === 0) return "connection cut";
  return `${entry.status} ${entry.fault === undefined ? "refused" : "injected"}`;
}

/** @param {SandboxMessage} message */
function accepted(message) {
  const { at, encoding, fault, messageId, mode, parts, segments, senderId } = message;
  const cost = `${count(message.totalCredits, "credit")} · KES ${message.totalCostKes.toFixed(2)}`;
  const facts = [
    element("b", {}, oneLine(senderId)),
    clock(at, "second"),
    badge(mode),
    fact(`${count(segments, "segment")} · ${encoding}`),
    fact(mode === "test" ? `${cost}, not charged` : cost),
    element("a", { href: messageAddress(messageId), title: "link to this message" }, element("code", {}, messageId)),
  ];
  return element(
    "li",
    { class: fault === undefined ? "accepted" : "accepted broken" },
    element("p", { class: "bubble", dir: "auto" }, ...textNodes(parts)),
    ...(fault === undefined ? [] : [element("p", { class: "problem" }, `Accepted, but ${describeFault(fault)}`)]),
    element("p", { class: "facts" }, ...facts),
    element(
      "p",
      { class: "actions" },
      // A line feed ends a command in a terminal.
      copyButton("Copy text", () => message.message.replaceAll("\n", "↵")),
      copyButton("Copy ID", () => messageId),
      copyButton("Copy link", () => new URL(messageAddress(messageId), location.href).href),
      deleteButton(messageId),
    ),
  );
}

/** @param {{ kind: "refusal" } & SandboxRefusal} refusal */
function refused(refusal) {
  const { at, errorCode, fault, message, mode, reason = "", requestId, senderId } = refusal;
  const facts = [
    ...(senderId === undefined ? [] : [element("b", {}, oneLine(senderId))]),
    clock(at, "second"),
    ...(mode === undefined ? [] : [badge(mode)]),
    fact("not accepted"),
    ...(errorCode === undefined ? [] : [element("code", { title: "errorCode" }, errorCode)]),
    ...(requestId === undefined
      ? []
      : [element("a", { href: requestAddress({ id: requestId }) }, `request ${requestId}`)]),
  ];
  return element(
    "li",
    { class: "refused" },
    element("p", { class: "problem" }, problemOf(refusal) ?? ""),
    ...(fault === undefined ? [element("p", { class: "why" }, ...textNodes([reason]))] : []),
    ...(message === undefined ? [] : [element("p", { class: "unsent", dir: "auto" }, ...textNodes([message]))]),
    element("p", { class: "facts" }, ...facts),
  );
}

/** @param {string} mode */
function badge(mode) {
  return element("span", { class: `mode ${mode}` }, mode);
}

/** @param {string} text */
function fact(text) {
  return element("span", {}, text);
}

/** @param {string} fault */
function describeFault(fault) {
  return brokenAnswers.get(fault) ?? `the answer was broken by ${fault}`;
}
