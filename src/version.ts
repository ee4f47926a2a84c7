import manifest from "../package.json" with { type: "json" };

/** The version of this program. */
export const version: string = manifest.version;

/** How this program names itself to the service. */
export const userAgent = `sms-cli/${version}`;
