import { readFileSync } from "node:fs";
import { type Answer, notFound } from "./reply.ts";

/** The folder of the page's scripts and styles, as the page asks for them. */
export const inboxFolder = "/_sandbox/inbox/";

/** Where they are kept: beside this file in the sources, and beside the bundle in the package. */
const files = new URL("inbox/", import.meta.url);

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["html", "text/html"],
  ["css", "text/css"],
  ["js", "text/javascript"],
  ["svg", "image/svg+xml"],
]);

const headers = {
  // Nothing from elsewhere and nothing inline, and no text that a script could take for markup.
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** The inbox at `/`, or a file that belongs to it; 404 where there is none of that name. */
export function inboxFile(path: string): Answer {
  const name = path === "/" ? "index.html" : path.slice(inboxFolder.length);
  const [, extension = ""] = /^[a-z]+\.([a-z]+)$/.exec(name) ?? [];
  const mediaType = mediaTypes.get(extension);
  const body = mediaType === undefined ? undefined : read(name);
  if (body === undefined) return notFound();
  return {
    kind: "answer",
    status: 200,
    headers: { "Content-Type": `${mediaType}; charset=utf-8`, ...headers },
    body,
  };
}

function read(name: string): string | undefined {
  try {
    return readFileSync(new URL(name, files), "utf8");
  } catch {
    return undefined;
  }
}
