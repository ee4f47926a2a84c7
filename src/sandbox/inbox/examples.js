/** @import { AccountSummary } from "./feed.js" */
import { copyButton } from "./copy.js";
import { byId, element } from "./dom.js";

/** How to send the first message. */
export function openExamples() {
  const list = byId("examples", HTMLElement);
  let shown = "";

  return {
    /** @param {AccountSummary & { readonly url: string }} account */
    show({ url, keys, paths }) {
      const texts = examplesFor(url, keys[0] ?? "", url + (paths[0] ?? ""));
      if (shown === JSON.stringify(texts)) return;
      shown = JSON.stringify(texts);
      list.replaceChildren(
        ...texts.map(([name, text], index) =>
          element(
            "details",
            { name: "example", ...(index === 0 && { open: "" }) },
            element("summary", {}, name),
            element("pre", { tabindex: "0" }, text),
            copyButton("Copy", () => text),
          ),
        ),
      );
    },
  };
}

/**
 * @param {string} url
 * @param {string} key
 * @param {string} address to send to
 */
function examplesFor(url, key, address) {
  const sms = `export SMS_BASE_URL=${url}
export SMS_API_KEY=${key}
sms send --to +254712345678 --message "Hello"`;
  const curl = `curl ${address} \\
  --header "Authorization: Bearer ${key}" \\
  --header "Content-Type: application/json" \\
  --data '{"to":"+254712345678","message":"Hello"}'`;
  const python = `import json, urllib.request

request = urllib.request.Request(
    "${address}",
    json.dumps({"to": "+254712345678", "message": "Hello"}).encode(),
    {"Authorization": "Bearer ${key}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`;
  const php = `<?php
echo file_get_contents("${address}", false, stream_context_create(["http" => [
    "method" => "POST",
    "header" => ["Authorization: Bearer ${key}", "Content-Type: application/json"],
    "content" => json_encode(["to" => "+254712345678", "message" => "Hello"]),
    "ignore_errors" => true,
]]));`;
  return /** @type {const} */ ([
    ["sms", sms],
    ["curl", curl],
    ["Python", python],
    ["PHP", php],
  ]);
}
