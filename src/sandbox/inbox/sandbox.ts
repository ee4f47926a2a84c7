import type { AccountEvent } from "../account.ts";
import type { FeedEvent as Change } from "../feed.ts";
import type { HistoryPage } from "../history.ts";
import type { SandboxRequest } from "../request-log.ts";
import { openMailbox } from "./mailbox.ts";

export type Account = Extract<AccountEvent, { name: "account" }>["data"] & { readonly url: string };
export type FeedEvent =
  | Exclude<Change, { name: "changed" }>
  | Readonly<{ name: "snapshot"; data: Account & HistoryPage }>;
export type Connection = "connecting" | "live" | "stopped" | "locked";

const names = ["snapshot", "message", "refusal", "request", "cleared", "account"] as const;
const retryMs = 1000;
const mostRequests = 1000;
/** After so many events a page begins anew, as the sandbox drops its oldest messages. */
const mostEvents = 100_000;

/** Keeps messages and requests as the sandbox has them, while `follow` is on. */
export function followSandbox(onChange: (event?: FeedEvent) => void) {
  const mailbox = openMailbox();
  /** By id; the latest is last. */
  let requests = new Map<number, SandboxRequest>();
  let account: Account | undefined;
  let connection: Connection = "connecting";
  let source: EventSource | undefined;
  /** Changes when the history begins anew, so that earlier entries of the old one are left out. */
  let generation = Symbol();
  let isWhole = false;

  async function addEarlier(place: number | undefined): Promise<void> {
    const current = generation;
    for (let next = place; next !== undefined;) {
      const page: HistoryPage = await load(`earlier?place=${next}`);
      if (generation !== current) return;
      mailbox.addEarlier(page.entries);
      next = page.earlier;
      onChange();
    }
    isWhole = true;
    onChange();
  }

  async function addRequests(): Promise<void> {
    const current = generation;
    const latest: readonly SandboxRequest[] = await load("requests");
    if (generation !== current) return;
    requests = new Map([...latest.map((request) => [request.id, request] as const), ...requests]);
    onChange();
  }

  function clear(): void {
    generation = Symbol();
    requests.clear();
    mailbox.clear();
  }

  function take(event: FeedEvent): void {
    const { name, data } = event;
    switch (name) {
      case "snapshot": {
        const { entries, earlier, ...others } = data;
        account = others;
        isWhole = false;
        clear();
        mailbox.addEarlier(entries);
        // If one fails, the feed ends too, and the next one begins with a snapshot.
        Promise.all([addEarlier(earlier), addRequests()]).catch(() => {});
        break;
      }
      case "message":
        if (account !== undefined) account = { ...account, balance: data.balance };
        mailbox.add({ message: data.message });
        break;
      case "refusal":
        mailbox.add({ refusal: data });
        break;
      case "request":
        requests.set(data.id, data);
        if (requests.size > mostRequests) requests.delete(requests.keys().next().value ?? 0);
        break;
      case "cleared":
        isWhole = true;
        clear();
        break;
      case "account":
        if (account !== undefined) account = { ...account, ...data };
        break;
    }
    onChange(event);
  }

  /** The first event is a snapshot, as is each after a break. */
  function connect(): void {
    const current = new EventSource("/_sandbox/events");
    source = current;
    const show = (next: Connection) => {
      if (source !== current) return;
      connection = next;
      onChange();
    };
    const reconnect = () => {
      if (source !== current) return;
      current.close();
      connect();
    };
    current.addEventListener("open", () => show("live"));
    current.addEventListener("error", () => {
      // The browser's own retry gives up on some errors and waits longer on others.
      current.close();
      // An event source does not say that it was refused: the sandbox wants the token of its latest start.
      fetch("/_sandbox/events", { method: "HEAD" })
        .then(({ status }) => show(status === 401 ? "locked" : "stopped"))
        .catch(() => show("stopped"))
        .finally(() => setTimeout(reconnect, retryMs));
    });
    let events = 0;
    for (const name of names) {
      current.addEventListener(name, ({ data }) => {
        take({ name, data: JSON.parse(data) });
        if (++events > mostEvents) reconnect();
      });
    }
    // A new connection begins with the history as it is now.
    current.addEventListener("changed", reconnect);
  }

  return {
    mailbox,
    connection: () => connection,
    requests: () => [...requests.values()],
    /** Undefined before the first snapshot. */
    account: () => account,
    isWhole: () => isWhole,
    follow: (isOn: boolean): void => {
      if (isOn === (source !== undefined)) return;
      if (isOn) return connect();
      source?.close();
      source = undefined;
    },
  };
}

/** What the sandbox answers. Rejects if it has stopped, or refuses. */
async function load(path: string) {
  const answer = await fetch(`/_sandbox/${path}`);
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
  return answer.json();
}
