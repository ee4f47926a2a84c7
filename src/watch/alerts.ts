import { isObject } from "../message/json.ts";

/** One thing that a notification says: a line for the gatherer. */
export interface Alert {
  readonly line: string;
  /** Absent if the words of the line say it. */
  readonly kind?: string;
  /** What it is about, so that a repeated notification is known; absent if each one is news. */
  readonly about?: Subject;
}

interface Subject {
  readonly id: string;
  readonly state: string;
  /** Tells this time in that state from an earlier one; absent where the id does, or where the state only lasts. */
  readonly since?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the body of a webhook, all of it or nothing: undefined if it is not known. */
export function readAlerts(body: unknown): readonly Alert[] | undefined {
  if (!isObject(body)) return undefined;
  if (Array.isArray(body["alerts"])) return readGroup(body, body["alerts"]);
  if ("heartbeat" in body && "monitor" in body) return readHeartbeat(body);
  return readText(body["text"]);
}

function readText(text: unknown): readonly Alert[] | undefined {
  return isSaid(text) ? [{ line: text }] : undefined;
}

/** Whether a phone shows something of it. */
function isSaid(text: unknown): text is string {
  return typeof text === "string" && /[^\s\p{C}]/u.test(text);
}

/** A group of alerts: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config, and Grafana's, which has more. */
function readGroup(
  { version, groupKey, truncatedAlerts: left = 0 }: Fields,
  group: readonly unknown[],
): readonly Alert[] | undefined {
  // Alertmanager's version is 4, and Grafana's 1.
  if ((version !== "4" && version !== "1") || group.length === 0) return undefined;
  if (typeof left !== "number" || !Number.isSafeInteger(left) || left < 0) return undefined;
  const alerts = group.map(readAlert).filter((alert) => alert !== undefined);
  if (alerts.length < group.length) return undefined;
  if (left === 0) return alerts;
  const about = { id: `truncated ${JSON.stringify(groupKey)}`, state: String(left) };
  const line = `and ${left} more ${left === 1 ? "alert" : "alerts"}, cut off by max_alerts`;
  return [...alerts, { line, kind: "truncated", about }];
}

function readAlert(alert: unknown): Alert | undefined {
  if (!isObject(alert)) return undefined;
  const { status, startsAt, fingerprint } = alert;
  const [labels, annotations] = [readTexts(alert["labels"]), readTexts(alert["annotations"])];
  if ((status !== "firing" && status !== "resolved") || typeof startsAt !== "string") return undefined;
  if (labels === undefined || annotations === undefined) return undefined;
  const what = typeof fingerprint === "string" ? fingerprint : JSON.stringify([...labels]);
  const name = nameOf(labels);
  const line = lineOf(name, labels, annotations);
  return {
    line: status === "firing" ? line : `resolved: ${line}`,
    ...(name !== undefined && { kind: `${status} ${name}` }),
    about: { id: `alert ${startsAt} ${what}`, state: status },
  };
}

/** Returns the texts that are not blank; undefined if there is anything else. */
function readTexts(value: unknown): ReadonlyMap<string, string> | undefined {
  if (value === undefined || value === null) return new Map();
  if (!isObject(value)) return undefined;
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  if (texts.length < Object.keys(value).length) return undefined;
  return new Map(texts.filter(([, text]) => isSaid(text)).map(([name, text]) => [name, text.trim()]));
}

/** Grafana calls each rule without data, or with an error, by the same name. */
function nameOf(labels: ReadonlyMap<string, string>): string | undefined {
  const names = ["alertname", "rulename"].map((label) => labels.get(label)).filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join(" ");
}

/** The labels that say where it is, the closest first. */
const places = ["instance", "pod", "container", "host", "hostname", "node", "device", "service", "job", "namespace"];

/** The annotations that say what it is, the shortest first. */
const sayings = ["summary", "message", "description"];

/** `HighErrorRate api-1: error rate over 5 %`, or with its labels if it has no annotation. */
function lineOf(
  name: string | undefined,
  labels: ReadonlyMap<string, string>,
  annotations: ReadonlyMap<string, string>,
): string {
  const saying = sayings.map((one) => annotations.get(one)).find((text) => text !== undefined);
  const place = places.map((one) => labels.get(one)).find((text) => text !== undefined);
  if (saying === undefined) {
    const others = [...labels].filter(([label]) => label !== "alertname" && label !== "rulename");
    return [name ?? "alert", ...others.map(([label, text]) => `${label}=${text}`)].join(" ");
  }
  const subject = [name, place].filter((part) => part !== undefined && !saying.includes(part));
  return subject.length === 0 ? saying : `${subject.join(" ")}: ${saying}`;
}

const heartbeatStates = ["down", "up", "pending", "in maintenance"] as const;

/** A notification of Uptime Kuma. Only a change of a monitor has a heartbeat; tests and warnings of certificates have words. */
function readHeartbeat({ heartbeat, monitor, msg }: Fields): readonly Alert[] | undefined {
  if (heartbeat === null && monitor === null) return readText(msg);
  if (!isObject(heartbeat) || !isObject(monitor)) return undefined;
  const { status, time, important, msg: reason } = heartbeat;
  const state = heartbeatStates.find((_, index) => index === status);
  const { id, name } = monitor;
  if (state === undefined || typeof time !== "string" || time.length > 64 || !isSaid(name)) return undefined;
  // Two instances may number their monitors alike. Not important is what one sends again while a monitor stays down.
  const about = { id: `monitor ${JSON.stringify([id, name])}`, state, ...(important !== false && { since: time }) };
  const says = isSaid(reason) && reason !== "N/A" ? `: ${reason}` : "";
  return [{ line: `${name.trim()} is ${state}${says}`, kind: `${state} ${name}`, about }];
}
