import { plural } from "../words/count.ts";
import type { ListFacts } from "./source.ts";

/** Says what was made of a list that does not name its columns as `sms` would. */
export function listTexts(
  { sheet, column, passed, formulaTexts, hiddenRows, noValues }: ListFacts,
  hidden = "left out",
): readonly string[] {
  const texts: string[] = [];
  if (
    column !== undefined &&
    (sheet !== undefined || !["to", "phone", "number", "msisdn", "mobile"].includes(column.name.toLowerCase()))
  ) {
    const place = sheet === undefined ? "" : ` of sheet ${JSON.stringify(sheet)}`;
    const why = column.by === "cells" ? ", the only one of which nearly all cells are numbers" : "";
    texts.push(`the numbers are in column ${JSON.stringify(column.name)}${place}${why}`);
  }
  if (passed.length > 0) texts.push(`passed over: ${passed.join("; ")}`);
  if (formulaTexts > 0)
    texts.push(`${plural(formulaTexts, "cell")} written as ="…" ${formulaTexts === 1 ? "is" : "are"} read as text`);
  if (hiddenRows > 0)
    texts.push(`${plural(hiddenRows, "row")} that the spreadsheet hides ${hiddenRows === 1 ? "is" : "are"} ${hidden}`);
  if (noValues > 0)
    texts.push(`${plural(noValues, "cell")} such as NULL ${noValues === 1 ? "is" : "are"} read as empty`);
  return texts;
}
