export function countText(count: number): string {
  return withSeparators(String(count));
}

export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function withSeparators(decimal: string): string {
  return decimal.replace(/^-?\d+/, (whole) => whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ","));
}
