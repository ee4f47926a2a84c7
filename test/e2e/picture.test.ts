import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal } from "../support/terminal.ts";

const commands = [
  'sms send --sandbox --to +254712345678 --message "Deploy finished"',
  'sms send --sandbox --to +254700000598 --message "Deploy finished"',
];

/** Colours of a dark terminal, by the code that begins them. */
const colors: Readonly<Record<string, string>> = { "2": "#9aa4b2", "31": "#ff8080", "32": "#7ee787", "33": "#f2cc60" };

const line = 20;
const margin = 20;

/** Draws what a terminal of 80 columns shows, in which only colours change, as a picture. */
function pictureOf(shown: string): string {
  // A browser draws several spaces as one, unless they do not break.
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00A0");
  const lines = shown.trimEnd().split("\r\n");
  const rows = lines.map((text, index) => {
    const [plain = "", ...painted] = text.split("\u001b[");
    const spans = painted.map((part) => {
      const [, code = "", rest = ""] = /^(\d+)m(.*)$/s.exec(part) ?? [];
      const color = colors[code];
      return color === undefined ? escape(rest) : `<tspan fill="${color}">${escape(rest)}</tspan>`;
    });
    return `<text x="${margin}" y="${margin + line * (index + 0.75)}">${escape(plain)}${spans.join("")}</text>`;
  });
  const height = 2 * margin + line * lines.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${height}" role="img">
<title>Two messages sent with sms: one is queued, of the other nobody knows</title>
<rect width="720" height="${height}" rx="8" fill="#161b22"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
${rows.join("\n")}
</g>
</svg>
`;
}

// To draw it anew: npm test -- -u test/e2e/picture
test("the picture of the README is what a terminal shows", needs("script"), async () => {
  // Without the prompt of a shell, and with CI no progress is shown.
  const script = commands.map((command) => `printf '%s\\n' ${shellLine([`$ ${command}`])}; ${command}; echo`);
  const { shown } = await lineOnTerminal(`sms() { ${shellLine(program)} "$@"; }; ${script.join("; ")}`, {
    CI: "true",
    FORCE_COLOR: "1",
  });
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
  const picture = pictureOf(shown.replace(id, "6d50eb34-9769-4308-ba67-c31fd7f16b36"));

  await expect(picture).toMatchFileSnapshot("../../docs/terminal.svg");
});
