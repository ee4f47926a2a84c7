// Whether a run keeps its rate with the folder of this machine, and with the database that SMS_RECORD names, also far away
// and with a day's limit.
import { surroundings } from "./commands.js";
import { end, openDelayingProxy } from "./pace.js";
import { atLeast } from "./table.js";

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
    const numbers = Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}`);
    const recipients = desk.file(`recipients-${rate}.txt`, numbers.join("\n"));
    for (const [name, record] of Object.entries(places)) {
      const perMinute = await ratePerMinute(desk, { recipients, messages, rate }, record);
      yield {
        name: `requests a minute, ${name} / --rate ${rate}`,
        ours: perMinute.toFixed(0),
        theirs: rate,
        ratio: perMinute / Number(rate),
        // Each write also changes the day.
        bound: atLeast(name.endsWith("a day's limit") ? 0.85 : 0.97),
      };
    }
  }
  if (url === undefined) yield { note: "The database is left out: SMS_RECORD names none." };
  for (const proxy of proxies) proxy.close();
  yield { note: "Half a minute of messages, from the first request to the last." };
}

async function ratePerMinute(desk, { recipients, messages, rate }, record) {
  const service = await openDelayingProxy(Number(new URL(desk.origins.http).port), 0);
  const env = {
    ...surroundings(desk),
    SMS_BASE_URL: `http://127.0.0.1:${service.port}`,
    SMS_API_KEY: "sk_test_bench",
    ...record,
  };
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
