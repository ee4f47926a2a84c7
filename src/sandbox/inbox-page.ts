import { createHash } from "node:crypto";
import type { Account, SandboxMessage } from "./account.ts";
import type { Answer } from "./reply.ts";

const shownAtMost = 200;

/** The page that shows what an account took, newest first, as it is now; without scripts and without assets. */
export function inboxPage(account: Account, url: string): Answer {
  const styleHash = createHash("sha256").update(style).digest("base64");
  return {
    kind: "answer",
    status: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    },
    body: page(account, url),
  };
}

/** Text as it may stand between tags and within quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function page(account: Account, url: string): string {
  const { messages } = account;
  const { keys, tier, rate, balance } = account.summary();
  const shown = messages.slice(-shownAtMost).toReversed();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>sms sandbox</title>
<style>${style}</style>
<header>
<h1>sms sandbox</h1>
<p>${count(messages.length, "message")} · ${count(balance, "credit")} left · ${tier} tier, ${rate} requests a minute</p>
</header>
<main>
${shown.length === 0 ? invitation(url, keys[0]) : shown.map(article).join("\n")}
</main>
<footer>${shown.length < messages.length ? `The latest ${shownAtMost} are shown. ` : ""}<a href="/_sandbox/messages">All as JSON</a></footer>
</html>
`;
}

function article({
  to,
  senderId,
  message,
  segments,
  totalCredits,
  totalCostKes,
  mode,
  at,
}: SandboxMessage): string {
  const cost = `${count(totalCredits, "credit")} · KES ${totalCostKes.toFixed(2)}`;
  return `<article>
<h2>${escapeHtml(to)}</h2>
<p class="from">from ${escapeHtml(senderId)} · <time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time></p>
<p class="text" dir="auto">${escapeHtml(message)}</p>
<p class="cost"><span class="mode ${mode}">${mode}</span> ${count(segments, "segment")} · ${cost}${mode === "test" ? ", not charged" : ""}</p>
</article>`;
}

function invitation(url: string, key: string | undefined): string {
  return `<section>
<p>Nothing has been sent yet. Try:</p>
<pre>export SMS_BASE_URL=${escapeHtml(url)}
export SMS_API_KEY=${key ?? "…"}
sms send --to +254712345678 --message "Hello"</pre>
<p>Then load this page again.</p>
</section>`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

const style = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --ink: #1c2128; --soft: #59636e; --line: #d9dee3; --bubble: #e6f0ea; --test: #6b5300; --live: #1a6b3c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171a; --card: #1d2125; --ink: #e6e9ec; --soft: #9ba5af; --line: #343a41; --bubble: #22382c; --test: #e3c565; --live: #71cf95; }
}
* { box-sizing: border-box; margin: 0; }
body { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.25rem; }
h2 { font-size: 1rem; font-variant-numeric: tabular-nums; }
header p, footer, .from, .cost { color: var(--soft); font-size: .875rem; }
main { display: grid; gap: 1rem; margin: 1.5rem 0; }
article, section { padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.text { width: fit-content; max-width: 100%; margin: .75rem 0; padding: .5rem .875rem; background: var(--bubble); border-radius: 1rem 1rem 1rem .25rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.mode { display: inline-block; margin-right: .25rem; padding: 0 .5rem; border: 1px solid; border-radius: 1rem; color: var(--live); }
.mode.test { color: var(--test); }
pre { margin: .75rem 0; padding: .75rem; overflow-x: auto; background: var(--page); border-radius: .5rem; font-size: .875rem; }
a { color: inherit; }
`;
