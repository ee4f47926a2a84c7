import { CopyButton } from "./buttons.tsx";
import type { Account } from "./sandbox.ts";

export function Examples({ url, keys, paths }: Account) {
  return (
    <div id="examples">
      {examplesFor(url, keys[0] ?? "", url + (paths[0] ?? "")).map(([name, text], index) => (
        <details name="example" open={index === 0}>
          <summary>{name}</summary>
          <pre tabIndex={0}>{text}</pre>
          <CopyButton label="Copy" text={() => text} />
        </details>
      ))}
    </div>
  );
}

function examplesFor(url: string, key: string, address: string): readonly (readonly [string, string])[] {
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
  return Object.entries({ sms, curl, Python: python, PHP: php });
}
