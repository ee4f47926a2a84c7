import { describe, expect, it } from "vitest";
import { readAlerts } from "../../src/watch/alerts.ts";
import { alertmanager, grafana, uptimeKuma } from "./bodies.ts";

function linesOf(body: unknown): readonly string[] {
  return readAlerts(body)?.map(({ line }) => line) ?? [];
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
    expect(readAlerts(alertmanager)).toMatchObject([
      { kind: "firing HighErrorRate" },
      { kind: "resolved InstanceDown" },
    ]);
    expect([readAlerts(uptimeKuma), readAlerts(beat({ status: 1 }))]).toMatchObject([
      [{ kind: "down Website" }],
      [{ kind: "up Website" }],
    ]);
  });
});

describe("a body that is not known", () => {
  it.each<unknown>([
    null,
    [[]],
    "text",
    {},
    { alerts: {} },
    JSON.parse('{"__proto__":{"text":"inherited"}}'),
    { text: "" },
    { text: " \u0000\u200b\n" },
    { text: 5 },
    { text: { toString: "x" } },
    group({}, { version: "5" }),
    group({}, { version: 4 }),
    group({}, { alerts: [] }),
    group({}, { alerts: [null] }),
    group({}, { alerts: [alertmanager.alerts[0], []] }),
    group({}, { truncatedAlerts: "2" }),
    group({}, { truncatedAlerts: -1 }),
    group({ status: "pending" }),
    group({ startsAt: 0 }),
    group({ labels: "x" }),
    group({ labels: { alertname: 1 } }),
    group({ annotations: { summary: {} } }),
    { heartbeat: null, monitor: null, msg: null },
    { ...uptimeKuma, monitor: null },
    beat({ status: "0" }),
    beat({ status: 4 }),
    beat({ time: null }),
    beat({ time: "x".repeat(65) }),
    beat({}, { name: 7 }),
  ])("is refused: %j", (body) => {
    expect(readAlerts(body)).toBeUndefined();
  });
});
