import type { Account } from "./sandbox.ts";
import { operators } from "./search.ts";
import { CopyButton, count } from "./text.tsx";

const titles = {
  "no-message": "No such message",
  "no-request": "No such request",
  "no-requests": "No requests yet",
  "choose-request": "Choose a request",
  choose: "Choose a conversation",
  empty: "No messages yet",
};
const sentences = {
  "no-message": "It was deleted, or is not one of the latest 100,000, or the sandbox has started again.",
  "no-request": "It has not ended yet, was cleared, is not one of the latest 1,000, or the sandbox has started again.",
  "no-requests": "Each request appears here, also one that becomes no message, with the reason.",
  "choose-request": "Each has what was sent and answered, without keys, and how to send it again.",
  empty: "Send the first one to this sandbox:",
};
const shortcuts: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["↓", "↑", "or", "j", "k"], "next or previous conversation"],
  [["Enter"], "go to its messages"],
  [["Esc"], "go back"],
  [["/"], "search numbers, texts, senders and IDs"],
  [['"on web"'], "these words as they stand; other words in any order"],
  [["-test"], "what has no such word; also before an operator"],
  ...operators.map(([name, takes]) => [[`${name}:`], takes] as const),
];

type HintProps = Readonly<{ name: keyof typeof titles; account?: Account | undefined; failed?: number }>;

/** What to do where nothing is open. */
export function Hint({ name, account, failed = 0 }: HintProps) {
  return (
    <section id={name} class="hint">
      <h2>{titles[name]}</h2>
      {name === "choose" ? <Shortcuts /> : <p>{sentences[name]}</p>}
      {name === "no-message" && (
        <p>
          <a href="#">All messages</a>
        </p>
      )}
      {name === "no-request" && (
        <p>
          <a href="#requests">All requests</a>
        </p>
      )}
      {name === "empty" && account && <Examples {...account} />}
      {name === "empty" && <p>Messages appear here as they arrive. Nothing reaches a phone.</p>}
      {name === "empty" && failed > 0 && (
        <p class="problem">
          <a href="#requests">{`${count(failed, "request")} became no message: see why`}</a>
        </p>
      )}
    </section>
  );
}

function Shortcuts() {
  return (
    <dl>
      {shortcuts.map(([keys, does]) => [
        <dt>{keys.flatMap((key) => [key === "or" ? key : <kbd>{key}</kbd>, " "])}</dt>,
        <dd>{does}</dd>,
      ])}
    </dl>
  );
}

function Examples({ url, keys, paths }: Account) {
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
