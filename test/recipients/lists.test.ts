import { describe, expect, it } from "vitest";
import { cleanRows, Findings } from "../../src/recipients/clean.ts";
import { cleanWriter } from "../../src/recipients/clean-columns.ts";
import { commentedTexts, listTexts } from "../../src/recipients/list-texts.ts";
import { prepareMessages } from "../../src/recipients/list-messages.ts";
import { SmsError } from "../../src/errors.ts";
import { numberKey } from "../../src/message/number-set.ts";
import { readNumberList, readOptOuts } from "../../src/recipients/number-lists.ts";
import { openRecipients, readRecipients } from "../../src/recipients/read.ts";
import { ListFacts } from "../../src/recipients/source.ts";
import { type ListCase, lists } from "./lists.ts";
import { chunksOf } from "./reading.ts";

const country = "KE";
const sourceOf = ({ name = "list.csv", content }: Pick<ListCase, "name" | "content">) => ({
  name,
  chunks: chunksOf(content, 65_536),
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
      else said += `${row.reason} ${row.hint} `;
    }
  } catch (error) {
    said += wordsOf(error);
    rows.length = 0;
    usable = "";
  }
  writer.end("to");
  return { rows, usable, said: said + [...commentedTexts(findings.list), ...listTexts(findings.list)].join(" ") };
}

async function sent(list: Pick<ListCase, "name" | "content" | "toColumn">) {
  const options = { country, toColumn: list.toColumn, skipInvalid: true } as const;
  const recipients = openRecipients([], sourceOf(list), options);
  const { planRows, notes } = prepareMessages({ recipients, text: "Hi", ...options, allowDuplicates: true });
  const rows: string[] = [];
  let said = "";
  try {
    for await (const row of planRows) if (row.kind === "recipient") rows.push(`${row.line}:${row.to}`);
  } catch (error) {
    said += wordsOf(error);
  }
  return { rows, said: said + notes.firstLeftOut.join(" ") + listTexts(recipients.facts).join(" ") };
}

const numberOf = (row: string) => row.replace(/^\d+:/, "");

/** The numbers are undefined if the list is refused. */
async function heldBack(list: ListCase) {
  const facts = new ListFacts();
  const options = { country, toColumn: list.toColumn, everyNumber: true } as const;
  const rows = readRecipients(sourceOf(list), { ...options, facts });
  const held = await orError(readNumberList("list", rows, country, { everyNumber: true }));
  const imported = await orError(readOptOuts(sourceOf(list), options));
  return {
    held: held instanceof SmsError ? undefined : held,
    optedOut: imported instanceof SmsError ? undefined : imported.rows.map(({ to }) => to),
    said: [
      held instanceof SmsError ? wordsOf(held) : listTexts(facts).join(" "),
      imported instanceof SmsError ? wordsOf(imported) : imported.warnings.join(" "),
    ],
  };
}

async function orError<Value>(reading: Promise<Value>): Promise<Value | SmsError> {
  return reading.catch((error: unknown) => {
    if (error instanceof SmsError) return error;
    throw error;
  });
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
    "$what has the same numbers in a send, or none if a number has words beside it, and all that clean writes can be sent",
    async (list) => {
      const { rows, usable } = await cleaned(list);
      const { rows: own } = await sent(list);
      expect(own).toEqual(list.isPaste ? [] : rows);
      const again = await sent({ name: "clean.csv", content: usable });
      expect(again.rows.map(numberOf)).toEqual(rows.map(numberOf));
    },
  );

  it.each(lists)("$what holds back the same people, or is refused, and opts them out", async (list) => {
    const people = [...new Set((await cleaned(list)).rows.map(numberOf))];
    const { held, optedOut = list.heldSays === undefined ? [] : people, said } = await heldBack(list);
    for (const words of said) expect(words).toContain(list.heldSays ?? "");
    expect(people.filter((to) => held?.has(numberKey(to)) === false)).toEqual([]);
    // An import can choose a column, and --exclude cannot.
    expect(list.toColumn === undefined && held ? held.size : optedOut.length).toBe(optedOut.length);
    // Somebody who may be meant is opted out too.
    expect(optedOut).toEqual(expect.arrayContaining(people));
    expect(optedOut.filter((to) => !to.startsWith("+2547123450"))).toEqual([]);
  });

  it("whose second column of numbers begins after the sample is refused by row, and both hold people back", async () => {
    const [a, b, c] = ["+254712345001", "+254712345002", "+254712345003"];
    const list = {
      what: "",
      content: `Name,Phone,Phone 2\n${`${"Ann".padEnd(45)},${a},\n`.repeat(1100)}Bob,${b},${c}\n`,
    };
    const { held, optedOut } = await heldBack(list);
    const { rows, said: ofClean } = await cleaned(list);
    expect({ held: held?.size, optedOut, rows: rows.length }).toEqual({ held: 3, optedOut: [a, b, c], rows: 1100 });
    const words = [ofClean, (await sent(list)).said];
    for (const each of words)
      expect(each.replaceAll("\\", "")).toContain(`has the number "${c}" in column "Phone 2" too`);
    expect(ofClean).toContain("choose with --to-column Phone or --to-column 'Phone 2'");
  });
});
