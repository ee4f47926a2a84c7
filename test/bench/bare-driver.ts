// Sends as the engine does below 15,000 a minute, with undici alone: node bare-driver.mjs ORIGIN COUNT CONCURRENCY
// Each request has its own connection, TLS sessions are resumed, nothing is recorded.
import { buildConnector, Client } from "undici";

const [origin = "", count = "", concurrency = ""] = process.argv.slice(2);
const connect = buildConnector({});
const headers = { authorization: "Bearer sk_test_bench", "content-type": "application/json" };
let next = 0;
let accepted = 0;

async function work(): Promise<void> {
  const client = new Client(origin, { connect, pipelining: 0 });
  while (next < Number(count)) {
    const to = `+2547${String(next++).padStart(8, "0")}`;
    const text = await post(client, JSON.stringify({ to, message: "Hi" }));
    const { success }: { success: unknown } = JSON.parse(text);
    if (success === true) accepted++;
  }
  await client.close();
}

function post(client: Client, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    client.dispatch(
      { path: "/api/v1/sms/send", method: "POST", headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(Buffer.concat(chunks).toString()),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

const began = performance.now();
await Promise.all(Array.from({ length: Number(concurrency) }, work));
const seconds = (performance.now() - began) / 1000;
process.stdout.write(`${JSON.stringify({ accepted, perSecond: Math.round(accepted / seconds) })}\n`);
