import { createServer, request as ask, type Server } from "node:http";
import { afterEach, beforeEach } from "vitest";
import { fast } from "../commands/with-runs.ts";
import type { Machine } from "../support/machine.ts";
import { withSandbox } from "../support/with-sandbox.ts";

export const to = "+254712345678";

/** Gives each test a service with these credits, to which commands send with a live key. */
export function withHistory(credits = 1000) {
  const given = withSandbox({ isOwn: true, key: "sk_live_sandbox", credits });
  const { sandbox } = given;
  let service: Server;
  beforeEach(async () => {
    service = await startTunnel(sandbox().url);
  });
  afterEach(() => {
    service.closeAllConnections();
    service.close();
  });
  const environment = () => ({ ...given.environment(), SMS_BASE_URL: urlOf(service) });
  const run = (args: readonly string[], machine: Machine = {}) =>
    given.run(args, { ...machine, environment: { ...environment(), ...machine.environment } });
  const json = async (args: readonly string[], machine: Machine = {}) => {
    const { stdout, stderr } = await run([...args, "--json"], machine);
    return JSON.parse(stdout || stderr);
  };
  const send = (args: readonly string[], machine: Machine = {}) =>
    run(["send", ...(args.includes("-m") ? [] : ["-m", "Hi"]), ...args], machine);
  return {
    ...given,
    environment,
    run,
    json,
    send,
    sendRun: (name: string, args: readonly string[], machine: Machine = {}) =>
      send(["--run", name, "--yes", ...fast, ...args], machine),
    history: (...args: readonly string[]) => json(["history", ...args]),
    /** Credits in the account. */
    balance: async (): Promise<number> =>
      ((await (await fetch(`${sandbox().url}/_sandbox/account`)).json()) as { balance: number }).balance,
  };
}

/** Serves a sandbox under another address that does not say what it is, so that sends count as real. */
async function startTunnel(url: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === "/healthz") return void response.writeHead(404).end();
    const { method, headers } = request;
    const forwarded = ask(`${url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => response.destroy()).pipe(response);
    });
    request.pipe(forwarded.on("error", () => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`;
}
