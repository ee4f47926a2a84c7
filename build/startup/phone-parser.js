// The chunk that phone-numbers.js loads.
import parse from "libphonenumber-js/core";
import metadata from "libphonenumber-js/max/metadata";

export function parsePhoneNumberFromString(text, options) {
  return parse(text, options, metadata);
}
