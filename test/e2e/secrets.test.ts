import { expect, test } from "vitest";
import { runBuilt } from "../support/built.ts";
import { runAgainst, sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";

const key = "sk_live_canary0123456789";
// With a character that JSON escapes, and the canary on both sides of it.
const oddKey = 'sk_live_canary"and\\canary';

test.each([
  ["an option that is not there, quotation mark and all", [...sendHi, `--api-key=${oddKey}`]],
  ["an option that is not there, with --json", [...sendHi, "--json", `--api-key=${key}`]],
  ["an option's argument", [...sendHi, "--api-key", key]],
  ["a word too many", [...sendHi, key]],
  ["a command", [key]],
  ["an option", [`--${key}`]],
  ["a number", ["send", "--to", key, "-m", "Hi"]],
  ["a country", ["send", "--to", "0712345678", "--country", key, "-m", "Hi"]],
  ["a timeout", [...sendHi, "--timeout", key]],
  ["what is expected", [...sendHi, "--expect", key]],
  ["the name of a run", [...sendHi, "--to", "+254712345679", "--run", key, "--yes"]],
  ["a sender", [...sendHi, "--sender", key]],
  ["a key of --once", [...sendHi, "--once", key]],
  ["the default sender", ["profiles", "set", "sender", key]],
  ["the name of a profile", [...sendHi, "--profile", key]],
  ["the name of a key", ["keys", "add", key]],
  ["a base URL", ["login", "--with-key", "--base-url", `https://acme.example/${key}`]],
  ["a file", ["send", "--to", "+254712345678", "--message-file", key]],
] as const)("a secret that was typed as %s is shown nowhere: exit 2", async (_place, args) => {
  const { ended, requests } = await runAgainst({ onRequest: accept() }, args);

  expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.not.stringContaining("canary") });
  expect(requests).toEqual([]);
});

test.each([
  { SMS_API_KEY: `${key} x` },
  { SMS_API_KEY: `canary${key}` },
  { ...testKey, SMS_SENDER: key },
  { ...testKey, SMS_BASE_URL: `https://acme:${key}@acme.example` },
  { ...testKey, SMS_BASE_URL: `https://acme.example/?key=${key}` },
  { ...testKey, SMS_BASE_URL: `http://127.0.0.1:1/${key}` },
  { ...testKey, HTTP_PROXY: "http://acme:canary%zz@127.0.0.1:1" },
])("a secret that is damaged or part of a URL is shown nowhere: exit 2, %j", async (env) => {
  const ended = await runBuilt(sendHi, { env: { SMS_BASE_URL: "http://127.0.0.1:1", ...env } });

  expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.not.stringContaining("canary") });
});
