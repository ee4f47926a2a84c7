import { describe, expect, it } from "vitest";
import { readAlerts } from "../../src/watch/alerts.ts";
import { alertmanager, grafana, uptimeKuma } from "./bodies.ts";

function linesOf(body: unknown): readonly string[] {
  const read = readAlerts(body);
  if (read.kind === "unknown") throw new Error(read.reason);
  return read.alerts.map(({ line }) => line);
}

/** A group of Alertmanager with one alert that has these fields. */
function group(alert: object, fields: object = {}) {
  return { ...alertmanager, alerts: [{ ...alertmanager.alerts[0], ...alert }], ...fields };
}

/** A notification of Uptime Kuma with these fields. */
function beat(heartbeat: object, monitor: object = {}) {
  return {
    ...uptimeKuma,
    heartbeat: { ...uptimeKuma.heartbeat, ...heartbeat },
    monitor: { ...uptimeKuma.monitor, ...monitor },
  };
}

describe("the lines of a notification", () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      "Alertmanager",
      alertmanager,
      [
        "HighErrorRate api-1:9100: error rate over 5 %",
        "resolved: InstanceDown instance=db-2:9100 job=postgres severity=page",
      ],
    ],
    ["Grafana", grafana, ["TestAlert Grafana: Notification test"]],
    ["Uptime Kuma", uptimeKuma, ["Website is down: connect ECONNREFUSED 10.0.0.7:443"]],
    ["Uptime Kuma, when it is up", beat({ status: 1, msg: "200 - OK" }), ["Website is up: 200 - OK"]],
    ["Uptime Kuma, without words", beat({ status: 1, msg: "N/A" }), ["Website is up"]],
    [
      "Uptime Kuma, in maintenance",
      beat({ status: 3, msg: "Monitor under maintenance" }),
      ["Website is in maintenance: Monitor under maintenance"],
    ],
    [
      "Uptime Kuma, of a certificate",
      {
        heartbeat: null,
        monitor: null,
        msg: "[Website][https://example.com] server certificate example.com will be expired in 7 days",
      },
      ["[Website][https://example.com] server certificate example.com will be expired in 7 days"],
    ],
    ["a script", { text: "disk full on db-1" }, ["disk full on db-1"]],
    [
      "Grafana, for a rule without data",
      group({
        labels: { alertname: "DatasourceNoData", rulename: "Orders a minute", grafana_folder: "Shop" },
        annotations: {},
      }),
      ["DatasourceNoData Orders a minute grafana_folder=Shop"],
    ],
    [
      "words that say where it is",
      group({ annotations: { summary: "Instance api-1:9100 is down" } }),
      ["HighErrorRate: Instance api-1:9100 is down"],
    ],
    [
      "a summary that is blank",
      group({ annotations: { summary: " ", description: "why" } }),
      ["HighErrorRate api-1:9100: why"],
    ],
    ["no labels", group({ labels: {}, annotations: { summary: "why" } }), ["why"]],
    ["neither labels nor annotations", group({ labels: null, annotations: null }), ["alert"]],
    [
      "names of prototypes",
      JSON.parse(
        '{"version":"4","alerts":[{"status":"firing","startsAt":"","labels":{"__proto__":"a","constructor":"b"},"annotations":{"toString":"c"}}]}',
      ),
      ["alert __proto__=a constructor=b"],
    ],
    [
      "more alerts than max_alerts",
      group({}, { truncatedAlerts: 12 }),
      ["HighErrorRate api-1:9100: error rate over 5 %", "and 12 more alerts, cut off by max_alerts"],
    ],
  ])("are read from %s", (_, body, lines) => {
    expect(linesOf(body)).toEqual(lines);
  });

  it("are of another kind once they resolve, whatever the instance", () => {
    const read = readAlerts(alertmanager);
    expect(read).toMatchObject({ alerts: [{ kind: "firing HighErrorRate" }, { kind: "resolved InstanceDown" }] });
    expect([readAlerts(uptimeKuma), readAlerts(beat({ status: 1 }))]).toMatchObject([
      { alerts: [{ kind: "down Website" }] },
      { alerts: [{ kind: "up Website" }] },
    ]);
  });
});

const notKnown = 'the body is not a notification of Alertmanager (version 4), Grafana or Uptime Kuma, or {"text": "…"}';

describe("a body that is not known", () => {
  it.each<[unknown, string]>([
    [null, notKnown],
    [[], notKnown],
    ["text", notKnown],
    [{}, notKnown],
    [{ alerts: {} }, notKnown],
    [JSON.parse('{"__proto__":{"text":"inherited"}}'), notKnown],
    [{ text: "" }, "text must be a text that is not blank"],
    [{ text: " \u0000\u200b\n" }, "text must be a text that is not blank"],
    [{ text: 5 }, "text must be a text that is not blank"],
    [{ text: { toString: "x" } }, "text must be a text that is not blank"],
    [group({}, { version: "5" }), 'version must be "4" (Alertmanager) or "1" (Grafana)'],
    [group({}, { version: 4 }), 'version must be "4" (Alertmanager) or "1" (Grafana)'],
    [group({}, { alerts: [] }), "alerts is empty"],
    [group({}, { alerts: [null] }), "alerts[0] must be an object"],
    [group({}, { alerts: [alertmanager.alerts[0], []] }), "alerts[1] must be an object"],
    [group({}, { truncatedAlerts: "2" }), "truncatedAlerts must be a whole number"],
    [group({}, { truncatedAlerts: -1 }), "truncatedAlerts must be a whole number"],
    [group({ status: "pending" }), 'alerts[0].status must be "firing" or "resolved"'],
    [group({ startsAt: 0 }), "alerts[0].startsAt must be a time"],
    [group({ labels: [] }), "alerts[0].labels must have texts"],
    [group({ labels: "x" }), "alerts[0].labels must have texts"],
    [group({ labels: { alertname: 1 } }), "alerts[0].labels must have texts"],
    [group({ annotations: { summary: {} } }), "alerts[0].annotations must have texts"],
    [{ heartbeat: null, monitor: null, msg: null }, "msg must be a text that is not blank"],
    [{ ...uptimeKuma, monitor: null }, "heartbeat and monitor must be objects, or both null"],
    [beat({ status: "0" }), "heartbeat.status must be 0, 1, 2 or 3"],
    [beat({ status: 4 }), "heartbeat.status must be 0, 1, 2 or 3"],
    [beat({ time: null }), "heartbeat.time must be a time"],
    [beat({ time: "x".repeat(65) }), "heartbeat.time must be a time"],
    [beat({}, { name: 7 }), "monitor.name must be a text that is not blank"],
  ])("is refused: %#", (body, reason) => {
    expect(readAlerts(body)).toEqual({ kind: "unknown", reason });
  });
});
