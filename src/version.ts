import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;

export const userAgent = `sms-cli/${version}`;

const { bugs }: { readonly version: string; readonly bugs?: string } = manifest;

/** A release has its address in package.json. */
export const reportHint = `please report this${bugs === undefined ? "" : ` at ${bugs}`}, with the command that caused it`;
