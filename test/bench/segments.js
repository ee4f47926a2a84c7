// Messages a second of `countSegments`, as it is bundled, beside two npm calculators.
import { pathToFileURL } from "node:url";
import { SegmentedMessage } from "sms-segments-calculator";
import { split } from "split-sms";
import { median, ratioOf } from "./figures.js";

const plain = "Habari, malipo yako yamepokelewa. ".repeat(48);
const messages = {
  "GSM-7, 160": plain.slice(0, 160),
  "GSM-7, 1600": plain.slice(0, 1600),
  "GSM-7, brackets": "Habari [12] malipo yako. ".repeat(60),
  "UCS-2, Cyrillic": "Привет, оплата получена. ".repeat(64),
  "UCS-2, last character": `${plain.slice(0, 1599)}’`,
};

/** Yields a row for each kind of message and calculator. */
export async function* measureSegments(desk, rounds) {
  const { countSegments } = await import(pathToFileURL(await desk.bundle("../../src/message/segments.ts")).href);
  const calculators = {
    ours: (text) => countSegments(text).segments,
    "split-sms": (text) => split(text, { summary: true }).parts.length,
    "sms-segments-calculator": (text) => new SegmentedMessage(text).segmentsCount,
  };
  for (const [kind, built] of Object.entries(messages)) {
    // A text that was read is flat in memory; one that was just put together is not.
    const message = Buffer.from(built).toString();
    const rates = Object.fromEntries(Object.keys(calculators).map((name) => [name, []]));
    for (const count of Object.values(calculators)) perSecond(() => count(message));
    for (let round = 0; round < rounds; round++) {
      for (const [name, count] of Object.entries(calculators)) {
        rates[name].push(perSecond(() => count(message)));
      }
    }
    const { ours, ...others } = rates;
    for (const [name, theirs] of Object.entries(others)) {
      yield {
        name: `${kind} / ${name}`,
        ours: figure(ours),
        theirs: figure(theirs),
        ratio: ratioOf(ours, theirs),
      };
    }
  }
}

/** How often `work` is done in a second, by 100 ms of it. */
function perSecond(work) {
  const start = performance.now();
  let done = 0;
  let elapsed = 0;
  while (elapsed < 100) {
    for (let index = 0; index < 20; index++) work();
    done += 20;
    elapsed = performance.now() - start;
  }
  return (done / elapsed) * 1000;
}

function figure(rates) {
  return `${Math.round(median(rates)).toLocaleString("en")}/s`;
}
