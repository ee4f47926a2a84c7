// Whether a run keeps its rate with the folder of this machine, and with the database that SMS_RECORD names, also far away
// and with a day's limit.
import { listOfNumbers, sendingTo } from "./commands.js";
import { end, openDelayingProxy } from "./pace.js";
import { rateRow } from "./table.js";

const roundTripsMs = [20, 40, 100];
/** Messages by the rate a minute: half a minute of them. */
const runs = { 100: 50, 2_000: 1_000 };

/** Yields rows for the folder and, if SMS_RECORD is set, for the database, whose tables must be there. */
export async function* measureRecord(desk, _rounds, rows) {
  const url = process.env["SMS_RECORD"];
  const proxies = [];
  const places = { folder: {}, ...(url && { database: { SMS_RECORD: url } }) };
  for (const distance of url ? roundTripsMs : []) {
    const proxy = await openDelayingProxy(Number(new URL(url).port || 5432), distance / 2);
    proxies.push(proxy);
    const far = new URL(url);
    far.port = String(proxy.port);
    places[`database ${distance} ms away`] = { SMS_RECORD: far.href };
  }
  const [farthest, itsRecord] = Object.entries(places).at(-1);
  places[`${farthest}, a day's limit`] = { ...itsRecord, SMS_API_KEY: "sk_live_bench", SMS_DAILY_CREDITS: "1000000" };
  for (const [rate, most] of Object.entries(runs)) {
    const messages = rows === undefined ? most : Math.min(rows, rate / 50);
    const recipients = listOfNumbers(desk, messages);
    for (const [name, record] of Object.entries(places)) {
      const perMinute = await ratePerMinute(desk, { recipients, messages, rate }, record);
      // Each write also changes the day.
      const least = name.endsWith("a day's limit") ? 0.85 : 0.97;
      yield rateRow(`requests a minute, ${name} / --rate ${rate}`, perMinute, Number(rate), least);
    }
  }
  if (url === undefined) yield { note: "The database is left out: SMS_RECORD names none." };
  for (const proxy of proxies) proxy.close();
  yield { note: "Half a minute of messages, from the first request to the last." };
}

async function ratePerMinute(desk, { recipients, messages, rate }, record) {
  const service = await openDelayingProxy(Number(new URL(desk.origins.http).port), 0);
  const env = { ...sendingTo(desk, `http://127.0.0.1:${service.port}`), ...record };
  const run = `bench-${process.pid}-${service.port}`;
  const send = ["send", "--recipients", recipients, "--rate", rate, "-m", "Hi", "--yes", "--quiet"];
  const { code } = await end(["bin/sms.js", ...send, "--run", run], env);
  service.close();
  if (code !== 0) throw new Error(`exit ${code} at ${rate} a minute`);
  await end(["bin/sms.js", "runs", "remove", run, "--yes", "--quiet"], env);
  // A live key asks first whether a sandbox listens there.
  const begun = service.connections.slice(-messages);
  return (60_000 * (messages - 1)) / (begun.at(-1) - begun[0]);
}
