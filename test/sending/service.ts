import { onTestFinished } from "vitest";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { begunRun, type Course, drafts, numberOf, sendRun } from "./running.ts";

export const nothing = { accepted: 0, rejected: 0, unsent: 0, uncertain: 0, pending: 0 };

export async function serve(onRequest: Script) {
  const server = await startScriptedServer({ onRequest });
  onTestFinished(server.close);
  const sent = () => server.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);
  return { ...server, sent };
}

export async function sendNew(count: number, onRequest: Script, course: Course = {}) {
  const server = await serve(onRequest);
  const files = await begunRun(drafts(count));
  return { server, files, ...(await sendRun(files, server.url, course)) };
}

/** Answers each recipient by the script under its index, and accepts all others. */
export function byIndex(scripts: Readonly<Record<number, Script>>): Script {
  return (socket, request, index) => {
    const { to } = JSON.parse(request.body) as { to: string };
    const script = Object.entries(scripts).find(([place]) => numberOf(Number(place)) === to)?.[1];
    (script ?? accept())(socket, request, index);
  };
}

export const cut: Script = (socket) => void socket.destroy();

export function refuse(status: number): Script {
  return answer(status, { error: "ACME says no", errorCode: "ACME_NO" });
}
