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

type Reading =
  | { readonly kind: "alerts"; readonly alerts: readonly Alert[] }
  | { readonly kind: "unknown"; readonly reason: string };

type Fields = Readonly<Record<string, unknown>>;

const expected = 'a notification of Alertmanager (version 4), Grafana or Uptime Kuma, or {"text": "…"}';

/** Reads the body of a webhook, all of it or nothing. */
export function readAlerts(body: unknown): Reading {
  if (!isObject(body)) return unknown(`the body is not ${expected}`);
  if (Array.isArray(body["alerts"])) return readGroup(body, body["alerts"]);
  if ("heartbeat" in body && "monitor" in body) return readHeartbeat(body);
  if ("text" in body) return readText(body["text"], "text");
  return unknown(`the body is not ${expected}`);
}

function unknown(reason: string): Reading {
  return { kind: "unknown", reason };
}

function readText(text: unknown, name: string): Reading {
  return isSaid(text)
    ? { kind: "alerts", alerts: [{ line: text }] }
    : unknown(`${name} must be a text that is not blank`);
}

/** Whether a phone shows something of it. */
function isSaid(text: unknown): text is string {
  return typeof text === "string" && /[^\s\p{C}]/u.test(text);
}

/** A group of alerts: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config, and Grafana's, which has more. */
function readGroup({ version, groupKey, truncatedAlerts = 0 }: Fields, group: readonly unknown[]): Reading {
  if (version !== "4" && version !== "1") return unknown('version must be "4" (Alertmanager) or "1" (Grafana)');
  if (group.length === 0) return unknown("alerts is empty");
  if (typeof truncatedAlerts !== "number" || !Number.isSafeInteger(truncatedAlerts) || truncatedAlerts < 0) {
    return unknown("truncatedAlerts must be a whole number");
  }
  const alerts: Alert[] = [];
  for (const [index, one] of group.entries()) {
    const alert = readAlert(one);
    if (typeof alert === "string") return unknown(`alerts[${index}]${alert}`);
    alerts.push(alert);
  }
  if (truncatedAlerts === 0) return { kind: "alerts", alerts };
  const about = { id: `truncated ${JSON.stringify(groupKey)}`, state: String(truncatedAlerts) };
  const noun = truncatedAlerts === 1 ? "alert" : "alerts";
  const line = `and ${truncatedAlerts} more ${noun}, cut off by max_alerts`;
  return { kind: "alerts", alerts: [...alerts, { line, kind: "truncated", about }] };
}

/** Returns the alert, or what is wrong with it. */
function readAlert(alert: unknown): Alert | string {
  if (!isObject(alert)) return " must be an object";
  const { status, startsAt, fingerprint } = alert;
  if (status !== "firing" && status !== "resolved") return '.status must be "firing" or "resolved"';
  if (typeof startsAt !== "string") return ".startsAt must be a time";
  const [labels, annotations] = [readTexts(alert["labels"]), readTexts(alert["annotations"])];
  if (labels === undefined) return ".labels must have texts";
  if (annotations === undefined) return ".annotations must have texts";
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
function readHeartbeat({ heartbeat, monitor, msg }: Fields): Reading {
  if (heartbeat === null && monitor === null) return readText(msg, "msg");
  if (!isObject(heartbeat) || !isObject(monitor)) return unknown("heartbeat and monitor must be objects, or both null");
  const { status, time, important, msg: reason } = heartbeat;
  const state = heartbeatStates.find((_, index) => index === status);
  if (state === undefined) return unknown("heartbeat.status must be 0, 1, 2 or 3");
  if (typeof time !== "string" || time.length > 64) return unknown("heartbeat.time must be a time");
  const { id, name } = monitor;
  if (!isSaid(name)) return unknown("monitor.name must be a text that is not blank");
  // Two instances may number their monitors alike. Not important is what one sends again while a monitor stays down.
  const about = { id: `monitor ${JSON.stringify([id, name])}`, state, ...(important !== false && { since: time }) };
  const says = isSaid(reason) && reason !== "N/A" ? `: ${reason}` : "";
  return { kind: "alerts", alerts: [{ line: `${name.trim()} is ${state}${says}`, kind: `${state} ${name}`, about }] };
}
