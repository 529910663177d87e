import { z } from "zod";
import type { Access } from "../../access/caller.ts";
import { VERSION } from "../../version.ts";
import { SESSION_COOKIE } from "../admit.ts";
import { JSON_TYPE } from "../answer.ts";
import type { ErrorType, ErrorTypeInfo } from "../errors/error-types.ts";
import { ERROR_TYPES } from "../errors/error-types.ts";
import { JSON_BODY_ERRORS } from "../inputs/json-body.ts";
import type { BodyDoc, Operation, Route, SuccessDoc } from "../route.ts";
import { COMPONENT_PREFIX, componentSchemas } from "./components.ts";

/** What any route may answer: the request itself was wrong, or the server was. */
const ERRORS_ANYWHERE: readonly ErrorType[] = [
  "request_malformed",
  "request_timeout",
  "headers_too_large",
  "expectation_failed",
  "host_not_allowed",
  "origin_not_allowed",
  "internal_error",
];

/** What any route that is not public may answer. */
const ERRORS_OF_ACCESS: readonly ErrorType[] = [
  "key_missing",
  "key_invalid",
  "scope_missing",
  "environment_not_allowed",
  "project_not_found",
  "rate_limited",
  // All of them ask a database, which may be away.
  "store_unavailable",
];

const DESCRIPTION = `Traces of LLM applications: sent as OpenTelemetry, read back as trees.

Every path answers with and without a slash at its end, and HEAD wherever it answers GET. Every answer with a status from 400 up has the same body, \`ErrorBody\`; its \`type\` strings never change. A known path asked with another method is a 405, an unknown path a 404.`;

/** The OpenAPI 3.1 document of these routes. */
export function openapiDocument(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const { path, method } = route;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = operationObject(route);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Agate",
      version: VERSION,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "observability", description: "Reading what was recorded." },
      { name: "ingest", description: "Sending spans." },
      { name: "registry", description: "Configurations: variants, revisions, environments." },
      { name: "testsets", description: "Cases for evaluations: test sets, revisions and rows." },
      { name: "evaluations", description: "Runs of evaluations, their results and verdicts." },
      { name: "deployments", description: "Code: builds, their logs, and calling them." },
      { name: "access", description: "Projects and API keys." },
      { name: "platform", description: "The server itself." },
    ],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key. On a loopback address none is needed. `Authorization: ApiKey KEY` is understood, too. What clients of other products export may come with the key in their form: Basic with the key as the password, the key alone, `x-api-key` or `api_key`.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: SESSION_COOKIE,
          description:
            "What the web page has instead, after `POST /session`. Only requests of the page itself are served by it.",
        },
      },
    },
  };
}

function operationObject({ operation, access, limitedKeys }: Route) {
  const { id, tag, summary, description } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(access !== "public" && {
      security: [{ apiKey: [] }, { session: [] }, {}],
      "x-ag-access": typeof access === "string" ? access : access.join(" or "),
      ...(limitedKeys !== "allowed" && { "x-ag-limited-keys": limitedKeys }),
    }),
    parameters: [
      ...parameterObjects("path", operation.params?.()),
      ...parameterObjects("query", operation.query?.(), operation.checksEmpty),
    ],
    ...requestBodyObject(operation),
    responses: responseObjects(operation, access),
  };
}

function parameterObjects(
  place: "path" | "query",
  schema: z.core.$ZodType | undefined,
  checksEmpty = false,
) {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as z.core.JSONSchema.JSONSchema;
    const isRequired = required.includes(name);
    const base = { name, in: place, required: isRequired, description };
    if (place === "path" || isRequired || checksEmpty) return { ...base, schema: rest };
    return { ...base, allowEmptyValue: true, schema: orEmpty(rest) };
  });
}

/** An empty value counts as absent. Of numbers and words, `allowEmptyValue` alone tells it. */
function orEmpty(schema: z.core.JSONSchema.JSONSchema): z.core.JSONSchema.JSONSchema {
  const { pattern } = schema;
  return pattern === undefined ? schema : { ...schema, pattern: `^$|${pattern}` };
}

function requestBodyObject({ body, requestBody }: Operation) {
  if (requestBody !== undefined) {
    return { requestBody: { required: true, content: contentObject(requestBody) } };
  }
  if (body === undefined) return {};
  const schema = jsonSchema(body());
  // No body is one without fields.
  const isOptional = hasFields(body()) && schema.required === undefined;
  return { requestBody: { required: !isOptional, content: { [JSON_TYPE]: { schema } } } };
}

/** The JSON Schema of an input, as a client sends it. */
function jsonSchema(schema: z.core.$ZodType): z.core.JSONSchema.JSONSchema {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: made }) => {
      joinNull(made);
      restoreDetails(zodSchema, made);
    },
  });
  return described;
}

/** Where text is read as something else, zod leaves out examples and defaults, which may be of either. */
function restoreDetails(schema: z.core.$ZodTypes, made: z.core.JSONSchema.BaseSchema): void {
  const { examples } = z.globalRegistry.get(schema) ?? {};
  if (Array.isArray(examples)) made.examples = examples;
  const { def } = schema._zod;
  if (def.type === "default") made.default = def.defaultValue as z.core.JSONSchema.Schema;
}

/** `type: ["string", "null"]`, which people read faster than a choice of two schemas. */
function joinNull(made: z.core.JSONSchema.BaseSchema): void {
  const [value, none, ...others] = made.anyOf ?? [];
  if (typeof value !== "object" || typeof none !== "object" || others.length > 0) return;
  if (none.type !== "null" || typeof value.type !== "string") return;
  delete made.anyOf;
  Object.assign(made, { ...value, type: [value.type, "null"] });
}

function responseObjects(operation: Operation, access: Access) {
  const { success, otherwise = [], errors } = operation;
  const responses: Record<string, unknown> = {};
  for (const answer of [success, ...otherwise]) responses[answer.status] = successResponse(answer);
  const ofAccess = access === "public" ? [] : ERRORS_OF_ACCESS;
  const types = [
    ...new Set([...ERRORS_ANYWHERE, ...ofAccess, ...bodyErrors(operation), ...errors]),
  ];
  const statuses = [...new Set(types.map((type) => ERROR_TYPES[type].status))].sort();
  for (const status of statuses) {
    responses[status] = errorResponse(types.filter((type) => ERROR_TYPES[type].status === status));
  }
  return responses;
}

function bodyErrors({ body }: Operation): readonly ErrorType[] {
  if (body === undefined) return [];
  return hasFields(body()) ? [...JSON_BODY_ERRORS, "body_invalid"] : JSON_BODY_ERRORS;
}

function hasFields(body: z.core.$ZodType): boolean {
  return body instanceof z.core.$ZodObject;
}

function successResponse({ description, headers = {}, body }: SuccessDoc) {
  const described = Object.entries(headers).map(([name, text]) => [name, headerObject(text)]);
  return {
    description,
    headers: {
      "agate-version": headerObject("Version of the platform."),
      ...Object.fromEntries(described),
    },
    ...(body && { content: contentObject(body) }),
  };
}

function errorResponse(types: readonly ErrorType[]) {
  const lines = types.map((type) => `- \`${type}\`: ${ERROR_TYPES[type].meaning}`);
  const retries = types.some((type) => RETRIED.has(ERROR_TYPES[type].status));
  return {
    description: lines.join("\n"),
    headers: {
      "agate-version": headerObject("Version of the platform."),
      ...(retries && { "retry-after": headerObject("Seconds to wait.") }),
    },
    content: {
      [JSON_TYPE]: {
        schema: { $ref: `${COMPONENT_PREFIX}ErrorBody` },
        examples: Object.fromEntries(types.map((type) => [type, { value: exampleBody(type) }])),
      },
    },
  };
}

const RETRIED: ReadonlySet<number> = new Set([429, 503]);

function exampleBody(type: ErrorType) {
  const { message, meaning }: ErrorTypeInfo = ERROR_TYPES[type];
  return { detail: [{ loc: [], msg: message.kind === "fixed" ? message.text : meaning, type }] };
}

function headerObject(description: string) {
  return { description, schema: { type: "string" } };
}

function contentObject(body: BodyDoc) {
  return Object.fromEntries(
    Object.entries(body).map(([type, schema]) => [
      type,
      { schema: typeof schema === "string" ? { $ref: `${COMPONENT_PREFIX}${schema}` } : schema },
    ]),
  );
}
