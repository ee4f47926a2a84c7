import { beforeEach } from "vitest";
import type { Machine } from "../support/machine.ts";
import { type ReadRequest, type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const recipientOf = ({ body }: ReadRequest) => (JSON.parse(body) as { to: string }).to;

/** Gives each test a service that reaches phones, to which commands send with a live key. */
export function withPhones() {
  const { file, group, path, run: runThere } = withSandbox();
  let server: ScriptedServer;
  let answers: Readonly<Record<string, Script>>;
  beforeEach(async () => {
    answers = {};
    server = await startScriptedServer({
      onRequest: (socket, request, index) => (answers[recipientOf(request)] ?? accept())(socket, request, index),
    });
  });
  const run = (args: readonly string[], { environment, ...machine }: Machine = {}) =>
    runThere(args, {
      ...machine,
      environment: { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_abc", ...environment },
    });
  return {
    file,
    group,
    path,
    run,
    /** The exit code, and the last line of JSON. */
    runJson: async (args: readonly string[], machine: Machine = {}) => {
      const { code, stdout, stderr } = await run([...args, "--json"], machine);
      return { code, value: JSON.parse(stdout.trim().split("\n").at(-1) || stderr) };
    },
    /** Gives these numbers these answers. All others are accepted. */
    answerWith: (scripts: Readonly<Record<string, Script>>) => void (answers = scripts),
    /** The numbers of the requests in their order. */
    texted: () => server.requests.map(recipientOf),
  };
}
