import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;

/** How this program names itself to the service. */
export const userAgent = `sms-cli/${version}`;

const { bugs }: { readonly version: string; readonly bugs?: string } = manifest;

/** How to ask for a report of a fault: with the address that a release has in package.json. */
export const reportHint = `please report this${bugs === undefined ? "" : ` at ${bugs}`}, with the command that caused it`;
