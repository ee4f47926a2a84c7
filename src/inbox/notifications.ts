import type { SandboxMessage } from "../sandbox/history.ts";
import { messageAddress } from "./route.ts";
import { count, oneLine } from "./text.tsx";

const stored = "notifications";
const inSight = "sms sandbox in sight";
const burstMs = 1000;
const shownLength = 120;

const problems = {
  absent: "This browser shows notifications only over https, or from this machine, if at all.",
  refused: "The browser refuses notifications: allow them in its settings for this page.",
};

/** Desktop notifications of messages that arrive while no page of the sandbox is visible, and their switch. */
export function openNotifications(onSwitch: () => void, unread: () => number) {
  /** Whether this is the oldest page that is open, which alone notifies. */
  let isOldest = false;
  let problem = impediment();
  let shown: Notification | undefined;
  let latest: SandboxMessage | undefined;
  let hide = () => {};

  function show(title: string, body: string, address?: string): void {
    shown?.close();
    shown = new Notification(title, { body });
    shown.addEventListener("click", () => {
      window.focus();
      if (address !== undefined) location.hash = address;
    });
  }

  async function notify(): Promise<void> {
    const { held = [] } = await navigator.locks.query();
    const message = latest;
    latest = undefined;
    if (message === undefined || held.some(({ name }) => name === inSight)) return;
    const from = oneLine(`${message.senderId} to ${message.to}`);
    const text = oneLine(message.message).slice(0, shownLength);
    const news = unread();
    const [title, body] = news > 1 ? [count(news, "new message"), `${from}: ${text}`] : [from, text];
    show(title, body, messageAddress(message.messageId));
  }

  /** Holds a lock while this page is visible, so that no other one notifies. */
  function tellOthers(): void {
    hide();
    if (document.hidden) return;
    shown?.close();
    problem = impediment();
    const hidden = new Promise<void>((resolve) => (hide = resolve));
    void navigator.locks?.request(inSight, { mode: "shared" }, () => hidden);
  }

  const isOn = () => isOldest && isSwitchedOn();

  // Over http from another machine there are no locks, and no notifications.
  void navigator.locks?.request("sms sandbox notifier", () => {
    isOldest = true;
    onSwitch();
    return new Promise(() => {});
  });
  window.addEventListener("storage", onSwitch);
  document.addEventListener("visibilitychange", tellOthers);
  tellOthers();

  return {
    isOn,
    isSwitchedOn,
    /** Why there are none, if so, and whether nothing here can change it. */
    problem: () => problem && { sentence: problems[problem], isFinal: problem === "absent" },
    toggle: async (isWanted: boolean): Promise<void> => {
      try {
        localStorage.removeItem(stored);
        const permission = isWanted ? await Notification.requestPermission() : "denied";
        problem = isWanted && permission !== "granted" ? "refused" : impediment();
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
      if (!document.hidden || !isOn()) return;
      if (latest === undefined) setTimeout(notify, burstMs);
      latest = message;
    },
  };
}

function impediment(): keyof typeof problems | undefined {
  if (!isSecureContext || !("Notification" in globalThis)) return "absent";
  return Notification.permission === "denied" ? "refused" : undefined;
}

function isSwitchedOn(): boolean {
  try {
    return localStorage.getItem(stored) === "on" && Notification.permission === "granted";
  } catch {
    return false;
  }
}
