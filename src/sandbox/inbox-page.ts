import { readAsset } from "../assets.ts";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, notFound } from "./reply.ts";

export const inboxFolder = "/_sandbox/inbox/";

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["index.html", "text/html"],
  ["style.css", "text/css"],
  ["app.js", "text/javascript"],
  ["icon.svg", "image/svg+xml"],
]);

const headers = {
  // Own files only, nothing inline, and no script may turn text into markup.
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

export function showInboxFile(_: unknown, { path }: HttpRequest): Answer {
  const name = path === "/" ? "index.html" : path.slice(inboxFolder.length);
  const mediaType = mediaTypes.get(name);
  if (mediaType === undefined) return notFound;
  return {
    kind: "answer",
    status: 200,
    headers: { "Content-Type": `${mediaType}; charset=utf-8`, ...headers },
    body: readAsset(`inbox/${name}`).toString(),
  };
}
