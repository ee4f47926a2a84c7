import type { State } from "./follow.ts";
import { addressOf, type Place } from "./place.ts";
import { CopyButton } from "./pieces.tsx";

export function Empty({ state: { counts, url, keys }, place }: Readonly<{ state: State; place: Place }>) {
  if (counts.all > 0) {
    return (
      <section class="hint">
        <h2>{place.open === "" ? "Choose a message" : "It is gone"}</h2>
        {place.open === "" ? (
          <p>
            <kbd>↓</kbd> <kbd>↑</kbd> next and previous, <kbd>Esc</kbd> back
          </p>
        ) : (
          <p>
            The sandbox was cleared or has started again. <a href={addressOf({ ...place, open: "" })}>Show the list</a>
          </p>
        )}
      </section>
    );
  }
  return (
    <section class="hint">
      <h2>No messages yet</h2>
      <p>They appear here as they arrive, refused requests too. Nothing reaches a phone. Send the first one:</p>
      {examplesFor(url, keys[0]).map((text) => (
        <>
          <pre tabIndex={0}>{text}</pre>
          <CopyButton label={text.startsWith("curl") ? "Copy curl" : "Copy commands"} text={() => text} />
        </>
      ))}
    </section>
  );
}

function examplesFor(url: string, key = ""): readonly string[] {
  return [
    `export SMS_BASE_URL=${url} SMS_API_KEY=${key}
sms send --to +254712345678 --message "Hello"`,
    `curl ${url}/api/v1/sms/send \\
  --header "Authorization: Bearer ${key}" \\
  --header "Content-Type: application/json" \\
  --data '{"to":"+254712345678","message":"Hello"}'`,
  ];
}
