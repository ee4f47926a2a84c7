/** @import { SandboxMessage } from "../account.ts" */
import { byId, count } from "./dom.js";
import { messageAddress } from "./route.js";
import { oneLine } from "./text.js";

/** The name in the browser's storage that remembers the switch. */
const stored = "notifications";
/** The lock that each page has while it is in sight. */
const inSight = "sms sandbox in sight";
const burstMs = 1000;
const shownLength = 120;

const problems = {
  insecure: "A browser shows notifications only over https, or from this machine.",
  absent: "This browser shows no notifications.",
  denied: "The browser refuses notifications: allow them in its settings for this page.",
  default: "You have not allowed notifications.",
};

/** Desktop notifications of messages that arrive while no page of the sandbox is in sight, and their switch. */
export function openNotifications() {
  const toggle = byId("notify", HTMLInputElement);
  const problem = byId("notify-problem", HTMLElement);
  /** @type {Notification | undefined} */
  let shown;
  /** @type {SandboxMessage[]} Since the last notification was closed. */
  let arrived = [];
  let isDue = false;

  /** @param {keyof typeof problems} [found] */
  function showSwitch(found = impediment()) {
    toggle.checked = isOn();
    toggle.disabled = found === "insecure" || found === "absent";
    problem.textContent = found === undefined ? "" : problems[found];
  }

  function forget() {
    arrived = [];
    shown?.close();
    shown = undefined;
  }

  /**
   * Shows a notification in place of the last one.
   * @param {string} title
   * @param {string} body
   * @param {string} [address] of what a click opens
   */
  function show(title, body, address) {
    const notification = new Notification(title, { body });
    shown?.close();
    shown = notification;
    notification.addEventListener("close", () => notification === shown && forget());
    notification.addEventListener("click", () => {
      window.focus();
      if (address !== undefined) location.hash = address;
      forget();
    });
  }

  /** Returns why it is not on, if so. */
  async function turnOn() {
    const permission = await Notification.requestPermission();
    if (permission !== "granted") return permission;
    show("Notifications are on", "Messages that arrive while the page is hidden appear like this.");
    localStorage.setItem(stored, "on");
    return undefined;
  }

  async function notify() {
    isDue = false;
    const latest = arrived.at(-1);
    if (latest === undefined || (await isInSight())) return forget();
    const { to, senderId, message, messageId } = latest;
    const from = oneLine(`${senderId} to ${to}`);
    const text = oneLine(message.length > shownLength ? `${message.slice(0, shownLength)}…` : message);
    const [title, body] =
      arrived.length === 1 ? [from, text] : [count(arrived.length, "new message"), `${from}: ${text}`];
    show(title, body, messageAddress(messageId));
  }

  toggle.addEventListener("change", async () => {
    try {
      localStorage.removeItem(stored);
      showSwitch(toggle.checked ? await turnOn() : undefined);
    } catch {
      // A browser may have no storage. Chrome on Android has the interface, and throws.
      showSwitch("absent");
    }
  });
  window.addEventListener("storage", () => showSwitch());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    forget();
    showSwitch();
  });
  holdWhileInSight();
  showSwitch();

  return {
    /**
     * Notifies of a message, together with those that arrive within a second.
     * @param {SandboxMessage} message
     */
    async add(message) {
      if (!isOn() || (arrived.length === 0 && (await isInSight()))) return;
      arrived.push(message);
      if (isDue) return;
      isDue = true;
      setTimeout(notify, burstMs);
    },
  };
}

/** Why there can be no notifications, if so. */
function impediment() {
  if (!isSecureContext) return "insecure";
  if (!("Notification" in globalThis)) return "absent";
  return Notification.permission === "denied" ? "denied" : undefined;
}

function isOn() {
  try {
    return localStorage.getItem(stored) === "on" && Notification.permission === "granted";
  } catch {
    return false;
  }
}

function holdWhileInSight() {
  let release = () => {};
  const update = () => {
    release();
    if (document.hidden || !("locks" in navigator)) return;
    const hidden = new Promise((resolve) => (release = () => resolve(undefined)));
    navigator.locks.request(inSight, { mode: "shared" }, () => hidden).catch(() => {});
  };
  document.addEventListener("visibilitychange", update);
  update();
}

async function isInSight() {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === inSight);
}
