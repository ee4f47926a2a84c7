import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import type { ReadRequest } from "../support/scripted-server.ts";

interface Described {
  readonly content?: { readonly "application/json": { readonly example: object } };
}

/** The parts of the document that the tests use; the validator reads the schemas. */
interface Document {
  readonly paths: Readonly<Record<string, { readonly $ref: string }>>;
  readonly components: {
    readonly pathItems: {
      readonly Send: {
        readonly post: {
          readonly requestBody: Described;
          readonly responses: Readonly<Record<string, Described>>;
        };
      };
    };
    readonly schemas: { readonly SendFields: { readonly properties: object } };
    readonly securitySchemes: Readonly<Record<string, { readonly scheme: string }>>;
  };
}

export const openapi = parse(readFileSync("src/sandbox/openapi.yaml", "utf8")) as Document;

const { pathItems, securitySchemes } = openapi.components;
const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(openapi, "openapi");

export const describedStatuses: readonly number[] = Object.keys(pathItems.Send.post.responses)
  .filter((status) => status !== "default")
  .map(Number);

export function examples() {
  const { requestBody, responses } = openapi.components.pathItems.Send.post;
  const exampleOf = ({ content }: Described) => content?.["application/json"].example ?? {};
  return {
    request: exampleOf(requestBody),
    responses: describedStatuses.map((status) => [status, exampleOf(responses[status] ?? {})] as const),
  };
}

/** The deviations of an answer from the interface, a sentence each. */
export async function deviationsOfAnswer(answer: Response): Promise<readonly string[]> {
  const { status, headers } = answer;
  if (!describedStatuses.includes(status)) return [`status ${status} is not described`];
  return [
    ...deviationsOfType(headers.get("content-type") ?? undefined),
    ...deviationsOfBody(
      `pathItems/Send/post/responses/${status}/content/application~1json/schema`,
      await answer.text(),
    ),
  ];
}

type DescribedRequest = Pick<ReadRequest, "method" | "target" | "headers" | "body">;

/** The deviations of a request from the interface, a sentence each. */
export function deviationsOfRequest({ method, target, headers, body }: DescribedRequest): readonly string[] {
  const { authorization } = headers;
  return [
    ...(openapi.paths[target] === undefined ? [`path ${target} is not described`] : []),
    ...(method.toLowerCase() in pathItems.Send ? [] : [`method ${method} is not described`]),
    ...(authorization === undefined || isOfScheme(authorization) ? [] : ["the authorization is of no known scheme"]),
    ...deviationsOfType(headers["content-type"]),
    ...deviationsOfBody(`schemas/${authorization === undefined ? "SendRequestWithCredentials" : "SendRequest"}`, body),
  ];
}

const credentials: Readonly<Record<string, RegExp>> = {
  bearer: /^Bearer sk_(test|live)_[!-~]+$/,
  basic: /^Basic (?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

function isOfScheme(authorization: string): boolean {
  return Object.values(securitySchemes).some(({ scheme }) => credentials[scheme]?.test(authorization));
}

function deviationsOfType(contentType: string | undefined): readonly string[] {
  const isJson = /^application\/json(; charset=utf-8)?$/i.test(contentType ?? "");
  return isJson ? [] : [`content type ${contentType} is not described`];
}

function deviationsOfBody(component: string, body: string): readonly string[] {
  const validate = ajv.getSchema(`openapi#/components/${component}`);
  if (validate === undefined) throw new Error(`the document has no ${component}`);
  try {
    if (validate(JSON.parse(body)) === true) return [];
  } catch {
    return ["the body is not JSON"];
  }
  return (validate.errors ?? []).map(({ instancePath, message }) => `body${instancePath} ${message}`);
}
