import { type Country, date, readListedNumber } from "../message/number.ts";

export function hasNumberIn(cell: string): boolean {
  return /(?:\p{Nd}\P{Nd}{0,3}){6}/u.test(cell);
}

export function looksLikeNumber(cell: string): boolean {
  return /^\+?[\d\s().-]{7,20}$/.test(cell) && /\d{3}/.test(cell) && !/^\d{4}-\d\d-\d\d$/.test(cell);
}

/** Names of columns may be dates and years. */
export function isBareNumber(cell: string): boolean {
  return looksLikeNumber(cell) && !date.test(cell) && (/^[+0]/.test(cell) || cell.replace(/\D/g, "").length > 8);
}

export function hasNumber(cell: string): boolean {
  return looksLikeNumber(cell) || /\d{7}|\+\d[\d\s()-]{5}|\b0\d{2,3}[ -]\d{3}/.test(cell);
}

/** A number without + and 0 must be no landline's, as invoices are by accident. */
export function isPhone(cell: string, country: Country | undefined): boolean {
  const home = cell.startsWith("+") ? undefined : country;
  // Without a country the rows say that they need one.
  const number = readListedNumber(home === undefined ? `+${cell.replace(/^\+|^00/, "")}` : cell, home);
  return number.kind === "number" && number.assigned && (/^[+0(]/.test(cell) || number.noMobile === undefined);
}

export function isRunning(numbers: readonly string[]): boolean {
  const steps = numbers.filter((number, index) => index > 0 && Number(number) - Number(numbers[index - 1]) === 1);
  return numbers.length > 2 && steps.length * 2 > numbers.length;
}
