// How fast a run is recorded in the folder of this machine, and in the database that SMS_RECORD names, here and 20 ms away.
import { surroundings } from "./commands.js";
import { end, openDelayingProxy } from "./pace.js";
import { atLeast } from "./table.js";

/** How long bytes to a database that is far away travel each way. Milliseconds. */
const oneWay = 10;
/** Requests a minute of the fastest tier. */
const rate = 2_000;
const messages = 1_000;

/** Yields a row for the folder and, if SMS_RECORD is set, two for the database, whose tables must be there. */
export async function* measureRecord(desk) {
  const numbers = Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}`);
  const recipients = desk.file("recipients.txt", numbers.join("\n"));
  const url = process.env["SMS_RECORD"];
  const proxy = url && (await openDelayingProxy(Number(new URL(url).port || 5432), oneWay));
  const places = {
    folder: {},
    ...(url && {
      database: { SMS_RECORD: url },
      [`database ${2 * oneWay} ms away`]: { SMS_RECORD: url.replace(/:\d+\//, `:${proxy.port}/`) },
    }),
  };
  const args = ["bin/sms.js", "send", "--recipients", recipients, "--rate", "1000000", "-m", "Hi", "--yes", "--quiet"];
  for (const [name, record] of Object.entries(places)) {
    const env = {
      ...surroundings(desk),
      SMS_BASE_URL: desk.origins.http,
      SMS_API_KEY: "sk_test_bench",
      ...record,
    };
    const run = `bench-${process.pid}-${Object.keys(places).indexOf(name)}`;
    const began = performance.now();
    const { code } = await end([...args, "--run", run], env);
    const perMinute = (60_000 * messages) / (performance.now() - began);
    if (code !== 0) throw new Error(`exit ${code} with ${name}`);
    if (record.SMS_RECORD !== undefined) await end(["bin/sms.js", "runs", "remove", run, "--yes", "--quiet"], env);
    yield {
      name: `a minute, ${name} / the fastest tier's`,
      ours: perMinute.toFixed(0),
      theirs: String(rate),
      ratio: perMinute / rate,
      bound: atLeast(1),
    };
  }
  if (proxy === undefined) yield { note: "The database is left out: SMS_RECORD names none." };
  else proxy.close();
  yield { note: `${messages.toLocaleString("en")} messages, with start, plan and summary.` };
}
