/** @import { Entry } from "./mailbox.js" */
/** @import { SandboxMessage, SandboxRefusal } from "../account.ts" */
import { clock } from "./clock.js";
import { count, element } from "./dom.js";
import { oneLine, textNodes } from "./text.js";

/** How the answer to a message was spoilt, by the name of the fault or the ending of the number. */
const spoiltAnswers = new Map([
  ["000598", "the connection was cut"],
  ["reset-after", "the connection was cut"],
  ["000599", "never answered"],
  ["hang", "never answered"],
  ["000200", "the answer was not JSON"],
  ["garbage", "the answer was not JSON"],
  ["cut-body", "the answer was cut half-way"],
]);

/**
 * An entry as it stands in a thread: a text as a phone shows it, or what was not delivered, unlike any text.
 *
 * @param {Entry} entry
 */
export function entryElement(entry) {
  return entry.kind === "message" ? taken(entry) : refused(entry);
}

/**
 * What went wrong with an entry, in a few words; nothing where it was taken and answered as such.
 *
 * @param {Entry} entry
 */
export function problemOf(entry) {
  if (entry.kind === "message") return entry.fault === undefined ? undefined : spoilt(entry.fault);
  if (entry.status === 0) return "cut without an answer";
  return `${entry.status} ${entry.fault === undefined ? "refused" : "injected"}`;
}

/** @param {SandboxMessage} message */
function taken(message) {
  const { at, encoding, fault, messageId, mode, parts, segments, senderId } = message;
  const cost = `${count(message.totalCredits, "credit")} · KES ${message.totalCostKes.toFixed(2)}`;
  const facts = [
    element("b", {}, senderId),
    clock(at, "second"),
    badge(mode),
    fact(`${count(segments, "segment")} · ${encoding}`),
    fact(mode === "test" ? `${cost}, not charged` : cost),
    element("code", { title: "message ID" }, messageId),
  ];
  return element(
    "li",
    { class: fault === undefined ? "taken" : "taken spoilt" },
    element("p", { class: "bubble", dir: "auto" }, ...textNodes(parts)),
    ...(fault === undefined ? [] : [element("p", { class: "problem" }, `Taken, but ${spoilt(fault)}`)]),
    element("p", { class: "facts" }, ...facts),
  );
}

/** @param {{ kind: "refusal" } & SandboxRefusal} refusal */
function refused(refusal) {
  const { at, errorCode, message, mode, senderId } = refusal;
  const facts = [
    ...(senderId === undefined ? [] : [element("b", {}, oneLine(senderId))]),
    clock(at, "second"),
    ...(mode === undefined ? [] : [badge(mode)]),
    fact("not taken"),
    ...(errorCode === undefined ? [] : [element("code", { title: "errorCode" }, errorCode)]),
  ];
  return element(
    "li",
    { class: "refused" },
    element("p", { class: "problem" }, problemOf(refusal) ?? ""),
    ...(message === undefined
      ? []
      : [element("p", { class: "unsent", dir: "auto" }, ...textNodes([message]))]),
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
function spoilt(fault) {
  return spoiltAnswers.get(fault) ?? `the answer was spoilt by ${fault}`;
}
