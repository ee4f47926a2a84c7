import type { Address } from "./address.ts";
import { authenticationOf, type Credentials } from "./credentials.ts";
import type { Members } from "../message/fields.ts";

export interface Service {
  readonly address: Address;
  readonly path: string;
  readonly credentials: Credentials;
}

export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Source: docs/internals/service-interface.md, 4.1. */
export function wireRequest({ address, path, credentials }: Service, members: Members, userAgent: string): WireRequest {
  const { headers, bodyFields } = authenticationOf(credentials);
  return {
    origin: address.origin,
    path: address.basePath + path,
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": userAgent,
    },
    body: JSON.stringify({ ...bodyFields, ...members }),
  };
}
