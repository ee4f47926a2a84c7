// Stands for libphonenumber-js/max: nearly every number is read by numbering-plan.ts, so the parser is loaded for the others only.
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
