import { notAList, spreadsheet } from "./format.ts";
import type { Table } from "./table.ts";

/** Yields the sheets of a workbook. */
// eslint-disable-next-line require-yield
export async function* readWorkbook({ name }: { readonly name: string }): AsyncGenerator<Table> {
  throw notAList(name, "an Excel workbook", spreadsheet);
}
