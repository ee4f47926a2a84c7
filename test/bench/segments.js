// Messages a second of `countSegments`, as it is bundled, beside two npm calculators: node test/bench/segments.js
import { rolldown } from "rolldown";
import { SegmentedMessage } from "sms-segments-calculator";
import { split } from "split-sms";

const bundle = await rolldown({ input: "src/core/segments.ts" });
const { output } = await bundle.generate({ format: "esm" });
const { countSegments } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);

const calculators = {
  "ours, countSegments": (text) => countSegments(text).segments,
  "split-sms": (text) => split(text, { summary: true }).parts.length,
  "sms-segments-calculator": (text) => new SegmentedMessage(text).segmentsCount,
};

const plain = "Habari, malipo yako yamepokelewa. ".repeat(48);
const messages = {
  "GSM-7": plain.slice(0, 160),
  "GSM-7, long": plain.slice(0, 1600),
  "GSM-7, long, with brackets": "Habari [12] malipo yako. ".repeat(60),
  "UCS-2, long": "Привет, оплата получена. ".repeat(64),
  "UCS-2, long, by its last character": `${plain.slice(0, 1599)}’`,
};

for (const [name, built] of Object.entries(messages)) {
  // A text that was read is flat in memory; one that was just put together is not.
  const message = Buffer.from(built).toString();
  const { encoding, units } = countSegments(message);
  process.stdout.write(`${name}: ${units} ${encoding === "GSM-7" ? "septets" : "code units"}\n`);
  for (const [calculator, count] of Object.entries(calculators)) {
    const perSecond = rate(() => count(message));
    const columns = [
      calculator.padEnd(24),
      `${Math.round(perSecond).toLocaleString("en").padStart(10)} a second`,
      `${(1e6 / perSecond).toFixed(2).padStart(9)} µs each`,
      `${count(message)} segments`,
    ];
    process.stdout.write(`  ${columns.join("  ")}\n`);
  }
}

/** The best of five rounds of 200 ms, after one to warm up. */
function rate(work) {
  const rounds = Array.from({ length: 6 }, () => {
    const start = performance.now();
    let done = 0;
    let elapsed = 0;
    while (elapsed < 200) {
      for (let index = 0; index < 20; index++) work();
      done += 20;
      elapsed = performance.now() - start;
    }
    return (done / elapsed) * 1000;
  });
  return Math.max(...rounds.slice(1));
}
