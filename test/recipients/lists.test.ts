import { describe, expect, it } from "vitest";
import { cleanRows, Findings } from "../../src/recipients/clean.ts";
import { cleanWriter } from "../../src/recipients/clean-columns.ts";
import { commentedTexts, listTexts } from "../../src/recipients/list-texts.ts";
import { prepareMessages } from "../../src/recipients/messages.ts";
import { openRecipients } from "../../src/recipients/read.ts";
import { type ListCase, lists } from "./lists.ts";
import { chunksOf } from "./reading.ts";

const country = "KE";
const sourceOf = ({ name = "list.csv", content }: Pick<ListCase, "name" | "content">) => ({
  name,
  chunks: chunksOf(content),
});

/** What is said of an error, with all its lines. */
const wordsOf = (error: unknown) => (error instanceof Error ? [error.message, JSON.stringify(error)].join(" ") : "");

async function cleaned(list: ListCase) {
  const findings = new Findings();
  let usable = "";
  const rows: string[] = [];
  const files = { usable: (record: string) => (usable += `${record}\n`), rejected: () => {} };
  const writer = cleanWriter(files, findings.list);
  let said = "";
  try {
    for await (const row of cleanRows(
      sourceOf(list),
      { country, toColumn: list.toColumn, keepUnassigned: true },
      findings,
    )) {
      writer.add(row);
      if (row.kind !== "rejected") rows.push(`${row.line}:${row.to}`);
      else said += `${row.reason} `;
    }
  } catch (error) {
    said += wordsOf(error);
  }
  writer.end("to");
  return { rows, usable, said: said + [...commentedTexts(findings.list), ...listTexts(findings.list)].join(" ") };
}

async function sent(list: Pick<ListCase, "name" | "content" | "toColumn">) {
  const options = { country, toColumn: list.toColumn, skipInvalid: true } as const;
  const recipients = openRecipients([], sourceOf(list), options);
  const { messages, notes } = prepareMessages({ recipients, text: "Hi", ...options, allowDuplicates: true });
  const rows: string[] = [];
  let said = "";
  try {
    for await (const row of messages) if (row.kind === "recipient") rows.push(`${row.line}:${row.to}`);
  } catch (error) {
    said += wordsOf(error);
  }
  return { rows, said: said + notes.firstSkipped.join(" ") + listTexts(recipients.facts).join(" ") };
}

describe("a list", () => {
  it.each(lists)("$what is read rightly", async (list) => {
    const expected = (list.numbers ?? "")
      .split(" ")
      .filter(Boolean)
      .map((each) => each.replace(":", ":+2547123450"));
    const { rows, said } = await cleaned(list);
    expect({ rows, said }).toEqual({ rows: expected, said: expect.stringContaining(list.says ?? "") });
  });

  it.each(lists)(
    "$what has the same numbers in a send, or none, and all that clean writes can be sent",
    async (list) => {
      const { rows, usable } = await cleaned(list);
      const { rows: own } = await sent(list);
      expect(rows).toEqual(expect.arrayContaining([...own]));
      const again = await sent({ name: "clean.csv", content: usable });
      expect(again.rows.map((row) => row.replace(/^\d+:/, ""))).toEqual(rows.map((row) => row.replace(/^\d+:/, "")));
    },
  );
});
