import { beforeEach, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { fast } from "./with-runs.ts";

const [usual, other] = ["/api/v1/sms/send", "/v1/sms/send"];
const to = ["--to", "+254712345678"];
const text = ["-m", "Hi"];
const run = ["send", ...to, "--to", "+254733000000", ...text, "--run", "list", "--yes", ...fast];
const send = ["send", ...to, ...text];
const withKey = ["--with-key"];
const stdin = "sk_live_abc\n";

let environment: Readonly<Record<string, string>>;
beforeEach(() => {
  environment = foldersIn(temporaryFolder());
});

/** Takes messages, and refuses the empty one of a check, at this path only. */
async function serviceAt(path: string): Promise<ScriptedServer> {
  const taken: Script = (socket, request, index) =>
    (request.body === "{}" ? answer(400, { error: "to is missing" }) : accept())(socket, request, index);
  return startScriptedServer({
    onRequest: (socket, request, index) =>
      (request.target === path ? taken : answer(404, { error: "Not found" }))(socket, request, index),
  });
}

interface Door {
  readonly args: readonly string[];
  readonly before?: readonly string[];
}

/** Each of these posts to SMS_BASE_URL. */
const doors: Readonly<Record<string, Door>> = {
  "one message": { args: send },
  "a run": { args: run },
  "a resumed run": { before: run, args: ["runs", "resume", "list", "--yes"] },
  notify: { args: ["notify", ...to, ...text, "--", "true"] },
  watch: { args: ["watch", ...to] },
  "status --check": { args: ["status", "--check"] },
};

const storing: Readonly<Record<string, (url: string) => readonly string[]>> = {
  login: (url) => ["login", "--base-url", url, ...withKey],
  "login --no-verify": (url) => ["login", "--base-url", url, ...withKey, "--no-verify"],
};

describe.each([usual, other])("a base URL that ends in %s", needs("POSIX shell"), (path) => {
  it.each(Object.entries(doors))("names the path: %s", async (_, { args, before }) => {
    const { url, requests } = await serviceAt(path);
    const machine = { stdin, environment: { ...environment, SMS_BASE_URL: url + path, SMS_API_KEY: "sk_live_abc" } };
    const limited = { environment: { ...machine.environment, SMS_DAILY_CREDITS: "1" } };
    if (before !== undefined) await sms(before, limited);
    expect(await sms(args, machine)).toMatchObject({ code: 0 });
    expect(requests.map(({ target }) => target)).toEqual(requests.map(() => path));
  });

  it.each(Object.entries(storing))("is kept by %s, and its key goes there with each spelling", async (_, login) => {
    const { url, requests } = await serviceAt(path);
    expect(await sms(login(url + path), { stdin, environment })).toMatchObject({ code: 0 });
    for (const SMS_BASE_URL of [undefined, url, `${url}/`, url + path, `${url + path}/`])
      expect(await sms(send, { environment: { ...environment, SMS_BASE_URL } })).toMatchObject({ code: 0 });
    expect(await sms(["keys", "rotate", "live"], { stdin: "sk_live_new", environment })).toMatchObject({ code: 0 });
    expect(new Set(requests.map(({ target }) => target))).toEqual(new Set([path]));
  });

  it("is kept by keys add", async () => {
    const { url, requests } = await serviceAt(path);
    const given = { ...environment, SMS_BASE_URL: url + path };
    expect(await sms(["keys", "add", "prod"], { stdin, environment: given })).toMatchObject({ code: 0 });
    expect(await sms(send, { environment })).toMatchObject({ code: 0 });
    expect(requests.map(({ target }) => target)).toEqual([path, path]);
  });

  it("takes no stored key to another base URL", async () => {
    const { url } = await serviceAt(path);
    const elsewhere = await serviceAt(path);
    await sms(["login", "--base-url", url, ...withKey], { stdin, environment });
    for (const SMS_BASE_URL of [elsewhere.url + path, `${url}/base${path}`])
      expect(await sms(send, { environment: { ...environment, SMS_BASE_URL } })).toMatchObject({ code: 4 });
    expect(elsewhere.connections()).toBe(0);
  });
});

describe.each([
  [usual, other],
  [other, usual],
])("a 404 of %s", needs("POSIX shell"), (asked, taken) => {
  const keyOf = (url: string) => ({ ...environment, SMS_BASE_URL: url + asked, SMS_API_KEY: "sk_live_abc" });

  it.each(Object.entries(doors).filter(([, { before }]) => before === undefined))(
    "shows the whole URL, and the other form, which works: %s",
    async (_, { args }) => {
      const { url } = await serviceAt(taken);
      const { stdout, stderr } = await sms(args, { stdin, environment: keyOf(url) });
      expect(stdout + stderr).toContain(`HTTP 404 at ${url}${asked}`);
      const [, form = ""] = /give (\S+) as the base URL/.exec((stdout + stderr).replaceAll(/\s+/g, " ")) ?? [];
      expect(form).toBe(url + taken);
      expect(await sms(send, { environment: { ...keyOf(url), SMS_BASE_URL: form } })).toMatchObject({ code: 0 });
    },
  );

  it("is shown by a check that stores, too", async () => {
    const { url } = await serviceAt(taken);
    const { stderr } = await sms(["keys", "add", "prod"], { stdin, environment: keyOf(url) });
    expect(stderr).toContain(`HTTP 404 at ${url}${asked}`);
    expect(stderr).toContain(`give ${url}${taken} as the base URL`);
  });

  it("is shown with both URLs by a login that asked at both", async () => {
    const { url } = await serviceAt("/nowhere");
    const { stderr } = await sms(["login", "--base-url", url, ...withKey], { stdin, environment });
    for (const path of [usual, other]) expect(stderr).toContain(`HTTP 404 at ${url}${path}`);
  });
});
