import type { Account } from "./sandbox.ts";
import { CopyButton, count } from "./pieces.tsx";

type HintName = "no-message" | "no-request" | "no-requests" | "choose-request" | "choose" | "empty";

const hints: Readonly<Record<HintName, readonly [title: string, says?: string, way?: readonly [string, string]]>> = {
  "no-message": [
    "No such message",
    "It was deleted, or is not one of the latest 100,000, or the sandbox has started again.",
    ["#", "All messages"],
  ],
  "no-request": [
    "No such request",
    "It has not ended yet, was cleared, is not one of the latest 1,000, or the sandbox has started again.",
    ["#requests", "All requests"],
  ],
  "no-requests": ["No requests yet", "Each request appears here, also one that becomes no message, with the reason."],
  "choose-request": [
    "Choose a request",
    "Each has what was sent and answered, without keys, and how to send it again.",
  ],
  choose: ["Choose a conversation"],
  empty: ["No messages yet", "Messages appear here as they arrive. Nothing reaches a phone. Send the first one:"],
};
const shortcuts: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["↓", "↑"], "next or previous conversation"],
  [["Enter"], "go to its messages"],
  [["Esc"], "go back"],
];

type HintProps = Readonly<{ name: HintName; account?: Account | undefined; failed?: number }>;

/** What to do where nothing is open. */
export function Hint({ name, account, failed = 0 }: HintProps) {
  const [title, says, [address, label] = []] = hints[name];
  return (
    <section id={name} class="hint">
      <h2>{title}</h2>
      {says && <p>{says}</p>}
      {address && (
        <p>
          <a href={address}>{label}</a>
        </p>
      )}
      {name === "choose" && <Shortcuts />}
      {name === "empty" &&
        account &&
        examplesFor(account).flatMap((text) => [
          <pre tabIndex={0}>{text}</pre>,
          <CopyButton label={text.startsWith("curl") ? "Copy curl" : "Copy commands"} text={() => text} />,
        ])}
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
      {shortcuts.map(([keys, does]) => [<dt>{keys.flatMap((key) => [<kbd>{key}</kbd>, " "])}</dt>, <dd>{does}</dd>])}
    </dl>
  );
}

function examplesFor({ url, keys: [key = ""], paths: [path = ""] }: Account): readonly string[] {
  return [
    `export SMS_BASE_URL=${url}
export SMS_API_KEY=${key}
sms send --to +254712345678 --message "Hello"`,
    `curl ${url}${path} \\
  --header "Authorization: Bearer ${key}" \\
  --header "Content-Type: application/json" \\
  --data '{"to":"+254712345678","message":"Hello"}'`,
  ];
}
