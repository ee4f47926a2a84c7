/** The fragment of the page's address, such as `#search=deploy&only=refused&open=7`. */
export type Place = Readonly<{ search: string; only: string; open: string }>;

export function placeIn(hash: string): Place {
  const parameters = new URLSearchParams(hash.slice(1));
  const of = (name: string) => parameters.get(name) ?? "";
  return { search: of("search"), only: of("only"), open: of("open") };
}

export function queryOf(place: Place): string {
  return new URLSearchParams(Object.entries(place).filter(([, value]) => value !== "")).toString();
}

export function addressOf(place: Place): string {
  return `#${queryOf(place)}`;
}
