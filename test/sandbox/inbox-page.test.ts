import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exchange, runSandbox } from "./running.ts";

const folder = "/_sandbox/inbox";
const files = readdirSync("dist/inbox");

describe("the inbox", () => {
  it.each(["/", ...files.map((name) => `${folder}/${name}`)])("serves %s with a strict policy", async (path) => {
    const sandbox = await runSandbox();
    const answer = await fetch(sandbox.url + path);
    const extension = path === "/" ? "html" : path.split(".").at(-1);
    const type = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" }[extension ?? ""];

    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": `${type}; charset=utf-8`,
      "x-content-type-options": "nosniff",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
    });
    expect((await answer.text()).match(/https?:\/\/(?!www\.w3\.org\/)/)).toBeNull();
  });

  it.each(["/", "/tsconfig.json", "/../server.ts", "/..%2fserver.ts", "/app", "/none.js", "/constructor.js"])(
    "has no %s",
    async (path) => {
      const sandbox = await runSandbox();
      const answer = exchange(sandbox, `GET ${folder}${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(await answer).toMatch(/^HTTP\/1\.1 404 /);
    },
  );
});
