import type { SandboxMessage } from "../sandbox/history.ts";
import { messageAddress } from "./route.ts";
import { count, oneLine } from "./text.tsx";

const stored = "notifications";
const burstMs = 1000;
const shownLength = 120;

const problems = {
  insecure: "A browser shows notifications only over https, or from this machine.",
  absent: "This browser shows no notifications.",
  denied: "The browser refuses notifications: allow them in its settings for this page.",
  default: "You have not allowed notifications.",
};

/** Desktop notifications of messages that arrive while no page of the sandbox is visible, and their switch. */
export function openNotifications(onSwitch: () => void) {
  /** A visible page tells the hidden ones of each message that it shows. */
  const inSight = new BroadcastChannel("sms sandbox in sight");
  /** Whether this is the oldest page that is open, which alone notifies. */
  let isOldest = false;
  /** The latest message that a visible page showed, perhaps before it arrives here. */
  let seenId = "";
  let problem = impediment();
  let shown: Notification | undefined;
  let arrived: SandboxMessage[] = []; // Since the last notification was closed.
  let timer: ReturnType<typeof setTimeout> | undefined;

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
    arrived = [];
    shown?.close();
    shown = undefined;
  }

  /** Shows a notification in place of the last one. A click opens the address. */
  function show(title: string, body: string, address?: string): void {
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

  function notify(): void {
    timer = undefined;
    arrived = arrived.slice(arrived.findIndex(({ messageId }) => messageId === seenId) + 1);
    const latest = arrived.at(-1);
    if (latest === undefined) return;
    const { to, senderId, message, messageId } = latest;
    const from = oneLine(`${senderId} to ${to}`);
    const text = oneLine(message.length > shownLength ? `${message.slice(0, shownLength)}…` : message);
    const [title, body] =
      arrived.length === 1 ? [from, text] : [count(arrived.length, "new message"), `${from}: ${text}`];
    show(title, body, messageAddress(messageId));
  }

  const isOn = () => isOldest && isSwitchedOn();

  inSight.addEventListener("message", ({ data }) => {
    seenId = data;
    forget();
  });
  // Over http from another machine there are no locks, and no notifications.
  if ("locks" in navigator) {
    void navigator.locks.request("sms sandbox notifier", () => {
      isOldest = true;
      onSwitch();
      return new Promise(() => {});
    });
  }
  window.addEventListener("storage", onSwitch);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    forget();
    problem = impediment();
  });

  return {
    /** Whether this page notifies while it is hidden. */
    isOn,
    isSwitchedOn,
    /** Why there are none, if so, and whether nothing here can change it. */
    problem: () => problem && { sentence: problems[problem], isFinal: problem === "insecure" || problem === "absent" },
    toggle: async (isWanted: boolean): Promise<void> => {
      try {
        localStorage.removeItem(stored);
        const permission = isWanted ? await Notification.requestPermission() : "denied";
        problem = isWanted && permission !== "granted" ? permission : impediment();
        if (permission === "granted") {
          show("Notifications are on", "Messages that arrive while the page is hidden appear like this.");
          localStorage.setItem(stored, "on");
        }
      } catch {
        // A browser may have no storage. Chrome on Android has the interface, and throws.
        problem = "absent";
      }
      onSwitch();
    },
    /** Notifies of a message, together with those that arrive within a second, unless a page shows it. */
    add: (message: SandboxMessage): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has one origin.
      if (!document.hidden) return inSight.postMessage(message.messageId);
      if (!isOn()) return;
      arrived.push(message);
      timer ??= setTimeout(notify, burstMs);
    },
  };
}

function impediment(): keyof typeof problems | undefined {
  if (!isSecureContext) return "insecure";
  if (!("Notification" in globalThis)) return "absent";
  return Notification.permission === "denied" ? "denied" : undefined;
}

function isSwitchedOn(): boolean {
  try {
    return localStorage.getItem(stored) === "on" && Notification.permission === "granted";
  } catch {
    return false;
  }
}
