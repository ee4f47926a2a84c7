declare module "numfmt" {
  /** The types that this interface names are not in its package. */
  export function format(pattern: string, value: number | string, options: { readonly nbsp: boolean }): string;
  export function getFormatFromId(id: number): string | null;
  export function isDateFormat(pattern: string): boolean;
  export function isValidFormat(pattern: string): boolean;
}
