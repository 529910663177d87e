import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { configJsonSchema } from "../config/config-json-schema.ts";
import type { RouteDefinition } from "../routes/route-definition.ts";
import { type Endpoint, servedPaths } from "../routes/route-table.ts";
import { SDK_VERSION } from "../version.ts";

type Json = Record<string, unknown>;

/** `GET /openapi.json`: every route's bodies, with the playground control of every configuration field. */
export function openapiDocument(
  application: string | null,
  routes: readonly RouteDefinition[],
): Json {
  const paths: Record<string, Json> = {
    "/health": { get: operation("health", "Whether the workflow runs.", HEALTH) },
    "/openapi.json": { get: operation("openapi", "This document.", { type: "object" }) },
  };
  for (const route of routes) {
    for (const [endpoint, path] of servedPaths(route)) {
      paths[path] = { post: callOperation(route, endpoint, path) };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: application ?? "Agate workflow", version: SDK_VERSION },
    paths,
    components: { schemas: { ErrorBody: ERROR_BODY } },
  };
}

const text = { type: "string" };

const HEALTH = {
  type: "object",
  required: ["status", "routes", "telemetry"],
  properties: {
    status: { const: "ok" },
    application: { type: ["string", "null"] },
    version: text,
    routes: { type: "array", items: text },
    telemetry: {
      type: "object",
      properties: {
        exported: { type: "integer" },
        dropped: { type: "integer" },
        queued: { type: "integer" },
        last_error: { type: ["string", "null"] },
      },
    },
  },
};

const ERROR_BODY = {
  type: "object",
  required: ["detail"],
  properties: {
    detail: {
      type: "array",
      items: {
        type: "object",
        required: ["loc", "msg", "type"],
        properties: {
          loc: { type: "array", items: { type: ["string", "integer"] } },
          msg: text,
          type: text,
        },
      },
    },
    trace_id: text,
    span_id: text,
    stack: text,
  },
};

function callOperation(route: RouteDefinition, endpoint: Endpoint, path: string): Json {
  const properties: Json = {
    data: jsonSchemaOf(route.output, "output", `${route.path}#output`),
    trace_id: text,
    span_id: text,
  };
  if (endpoint === "playground") {
    properties.trace = {
      type: "object",
      description: "The call's own trace as a tree of span records.",
    };
  }
  const operationId = path.slice(1).replaceAll("/", "_");
  const summary = `Runs ${route.path} ${endpoint === "playground" ? "with a configuration of the caller's" : "with a deployed configuration"}.`;
  const chunk = route.chunk && jsonSchemaOf(route.chunk, "output", `${route.path}#chunk`);
  return {
    operationId,
    summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    "x-ag-route": route.path,
    "x-ag-endpoint": endpoint,
    requestBody: {
      required: true,
      content: { "application/json": { schema: bodySchema(route, endpoint) } },
    },
    responses: {
      200: {
        description: "What the function returned.",
        headers: { traceparent: { schema: text } },
        content: {
          "application/json": {
            schema: { type: "object", required: ["data", "trace_id", "span_id"], properties },
          },
          "text/event-stream": {
            schema: {
              type: "string",
              description: "Events `chunk`, `error` and `done`, for functions that stream.",
              ...(chunk === undefined ? {} : { "x-ag-chunk": chunk }),
            },
          },
        },
      },
      default: {
        description: "An error.",
        headers: { traceparent: { schema: text } },
        content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } },
      },
    },
  };
}

function bodySchema(route: RouteDefinition, endpoint: Endpoint): Json {
  const inputs = jsonSchemaOf(route.input, "input", `${route.path}#input`);
  if (endpoint === "playground") {
    return {
      type: "object",
      properties: { config: configJsonSchema(route.config), inputs },
      additionalProperties: false,
    };
  }
  return {
    type: "object",
    properties: {
      environment: {
        type: "string",
        description: "The slug of an environment, such as production.",
      },
      variant: {
        type: "object",
        required: ["slug"],
        properties: { slug: text, revision: { type: "integer", minimum: 1 } },
        additionalProperties: false,
      },
      inputs,
    },
    additionalProperties: false,
  };
}

/** A schema library's own JSON Schema, where it can write one; otherwise a schema that takes anything. */
function jsonSchemaOf(
  schema: StandardSchemaV1 | undefined,
  side: "input" | "output",
  id: string,
): Json {
  const converter = (schema as Partial<StandardJSONSchemaV1> | undefined)?.["~standard"]
    ?.jsonSchema;
  if (converter === undefined) return {};
  try {
    const { $schema: _dialect, ...json } = converter[side]({ target: "draft-2020-12" });
    // Its references are relative to itself, not to this document.
    return "$defs" in json ? { $id: id, ...json } : json;
  } catch {
    return { description: "The schema library has no JSON Schema for this." };
  }
}

function operation(operationId: string, summary: string, schema: Json): Json {
  const content = { "application/json": { schema } };
  return { operationId, summary, responses: { 200: { description: summary, content } } };
}
