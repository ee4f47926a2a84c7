import { generateKeyPairSync, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface CertificateOptions {
  readonly names: readonly string[];
  readonly years?: readonly [from: number, to: number];
}

/**
 * Makes a self-signed X.509 v3 certificate (RFC 5280 4.1). Written by hand because Node can read certificates but not
 * write them.
 */
export function selfSigned({ names, years = [2020, 2099] }: CertificateOptions): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId("2a8648ce3d040302")); // ecdsa-with-SHA256
  const name = sequence(set(sequence(objectId("550403"), utf8("sms test")))); // commonName
  const validity = sequence(time(years[0], "0101000000"), time(years[1], "1231235959"));
  const alternatives = names.map((each) =>
    isIPv4(each) ? der(0x87, Buffer.from(each.split(".").map(Number))) : der(0x82, Buffer.from(each)),
  );
  const subjectAltName = sequence(objectId("551d11"), der(0x04, sequence(...alternatives)));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(subjectAltName)),
  );
  const certificate = sequence(signed, algorithm, bits(sign("sha256", signed, privateKey)));
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const long = content.length > 0xff ? [0x82, content.length >> 8, content.length & 0xff] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...(content.length > 0x7f ? long : [content.length])]), content]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function set(...contents: readonly Buffer[]): Buffer {
  return der(0x31, ...contents);
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text));
}

function bits(bytes: Buffer): Buffer {
  return der(0x03, Buffer.from([0]), bytes);
}

/** RFC 5280 4.1.2.5: UTCTime up to 2049, GeneralizedTime later. */
function time(year: number, rest: string): Buffer {
  const text = year < 2050 ? String(year).slice(2) : String(year);
  return der(year < 2050 ? 0x17 : 0x18, Buffer.from(`${text}${rest}Z`));
}
