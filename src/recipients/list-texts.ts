import { plural } from "../words/count.ts";
import { placesText } from "./row.ts";
import type { ListFacts } from "./source.ts";

/** Whoever is behind a # is left out, which --quiet does not silence: one text, or none. */
export function commentedTexts({ commentedOut: { count, first } }: ListFacts): readonly string[] {
  return count === 0 ? [] : [`${plural(count, "row")} whose number is behind a #: ${placesText(first, count)}`];
}

/** All but the numbers behind a #. */
export function listTexts(facts: ListFacts, hiddenWords = "left out"): readonly string[] {
  const {
    sheet,
    columns: column,
    isUtf16,
    passed,
    formulaTexts,
    hiddenRows,
    hiddenColumns,
    noValues,
    shortRows,
  } = facts;
  const texts: string[] = [];
  if (
    column !== undefined &&
    (sheet !== undefined || !["to", "phone", "number", "msisdn", "mobile"].includes(column.name.toLowerCase()))
  ) {
    const place = sheet === undefined ? "" : ` of sheet ${JSON.stringify(sheet)}`;
    const why = column.by === "cells" ? ", the only one of which nearly all cells are numbers" : "";
    texts.push(`the numbers are in column ${JSON.stringify(column.name)}${place}${why}`);
  }
  if (isUtf16) texts.push("the text is UTF-16");
  if (passed.length > 0) texts.push(`passed over: ${passed.join("; ")}`);
  if (formulaTexts > 0)
    texts.push(`${plural(formulaTexts, "cell")} written as ="…" ${formulaTexts === 1 ? "is" : "are"} read as text`);
  if (hiddenRows > 0)
    texts.push(
      `${plural(hiddenRows, "row")} that the spreadsheet hides ${hiddenRows === 1 ? "is" : "are"} ${hiddenWords}`,
    );
  if (hiddenColumns.length > 0)
    texts.push(
      `${hiddenColumns.length === 1 ? "column" : "columns"} ${hiddenColumns.join(", ")}, which the spreadsheet hides, left out`,
    );
  if (shortRows > 0)
    texts.push(`${plural(shortRows, "row")} with fewer cells than the header: the missing ones are read as empty`);
  if (noValues > 0)
    texts.push(`${plural(noValues, "cell")} such as NULL ${noValues === 1 ? "is" : "are"} read as empty`);
  return texts;
}
