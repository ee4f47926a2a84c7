import metadata from "libphonenumber-js/max/metadata";

/** Other names that people write for a country, in capitals. */
const otherNames: Readonly<Record<string, string>> = {
  UK: "GB",
  BRITAIN: "GB",
  ENGLAND: "GB",
  USA: "US",
  AMERICA: "US",
  UAE: "AE",
  DRC: "CD",
  "IVORY COAST": "CI",
};

/** Returns the English name of an ISO 3166 country. */
export function countryName(code: string): string {
  return new Intl.DisplayNames(["en"], { type: "region" }).of(code) ?? code;
}

/** Returns every country whose numbering plan is known, with its English name. */
export function countries(): readonly { readonly code: string; readonly name: string }[] {
  return Object.keys(metadata.countries).map((code) => ({ code, name: countryName(code) }));
}

/** Returns the ISO code of a country by its name, the beginning of its name, or its calling code; undefined if that is not one country. */
export function countryNamed(text: string): string | undefined {
  const wanted = text.trim().toUpperCase();
  if (Object.hasOwn(otherNames, wanted)) return otherNames[wanted];
  if (/^\+?\d+$/.test(wanted)) return metadata.country_calling_codes[wanted.replace("+", "")]?.[0];
  if (wanted.length < 3) return undefined;
  const names = countries().map(({ code, name }) => ({ code, name: name.toUpperCase() }));
  const same = names.find(({ name }) => name === wanted);
  const [found, another] = names.filter(({ name }) => name.startsWith(wanted));
  return same?.code ?? (another === undefined ? found?.code : undefined);
}
