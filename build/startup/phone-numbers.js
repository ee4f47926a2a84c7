// Used in place of libphonenumber-js/max. It loads the parser only for a number that numbering-plan.ts cannot judge.
import metadata from "libphonenumber-js/max/metadata";

export function parsePhoneNumberFromString(text, options) {
  return require("./phone-parser.cjs").parsePhoneNumberFromString(text, options);
}

export function getCountryCallingCode(country) {
  return metadata.countries[country][0];
}

export function isSupportedCountry(country) {
  return Object.hasOwn(metadata.countries, country);
}
