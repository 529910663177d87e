import { configJsonSchema } from "../config/config-json-schema.ts";
import { inputSkeleton } from "../routes/input-skeleton.ts";
import type { RouteDefinition } from "../routes/route-table.ts";
import { type Endpoint, servedPaths } from "../routes/route-table.ts";
import { SDK_VERSION } from "../version.ts";
import { SchemaComponents, UniqueNames } from "./schema-components.ts";
import type { Workflow } from "./workflow.ts";

type Json = Record<string, unknown>;

type DescribedWorkflow = Pick<
  Workflow,
  "application" | "basePath" | "routes" | "playground" | "warn"
>;

/** `GET /openapi.json`: every route's bodies, with the playground control of every configuration field. */
export function openapiDocument(workflow: DescribedWorkflow): Json {
  const { application, basePath, routes, playground, warn } = workflow;
  const paths: Record<string, Json> = {
    "/health": { get: operation("health", "Whether the workflow runs.", HEALTH) },
    "/openapi.json": { get: operation("openapi", "This document.", { type: "object" }) },
  };
  const components = new SchemaComponents({ ErrorBody: ERROR_BODY }, warn);
  const names = new UniqueNames();
  for (const route of routes.all()) {
    const place = { route: route.path };
    const schemas = {
      input:
        route.input === undefined
          ? shownInputs(route)
          : components.schemaOf(route.input, { ...place, part: "input" }),
      output: components.schemaOf(route.output, { ...place, part: "output" }),
      chunk: route.chunk && components.schemaOf(route.chunk, { ...place, part: "stream" }),
    };
    for (const [endpoint, path] of servedPaths(route)) {
      if (endpoint === "playground" && !playground) continue;
      const operationId = names.take(path.slice(1).replaceAll("/", "_"));
      paths[path] = {
        post: {
          ...callOperation(route, endpoint, { operationId, schemas }),
          // Without the playground's body, the platform has it from here.
          ...(playground ? {} : { "x-ag-config": configJsonSchema(route.config) }),
        },
      };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: application ?? "Agate workflow", version: SDK_VERSION },
    ...(basePath === "" ? {} : { servers: [{ url: basePath }] }),
    paths,
    components: { schemas: components.schemas },
  };
}

interface RouteSchemas {
  readonly input: Json;
  readonly output: Json;
  readonly chunk: Json | undefined;
}

const text = { type: "string" };
const slug = { type: "string", minLength: 1 };

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

function callOperation(
  route: RouteDefinition,
  endpoint: Endpoint,
  { operationId, schemas }: { readonly operationId: string; readonly schemas: RouteSchemas },
): Json {
  const properties: Json = { data: schemas.output, trace_id: text, span_id: text };
  if (endpoint === "playground") {
    properties.trace = {
      type: "object",
      description: "The call's own trace as a tree of span records.",
    };
  }
  const summary = `Runs ${route.path} ${endpoint === "playground" ? "with a configuration of the caller's" : "with a deployed configuration"}.`;
  const { chunk } = schemas;
  return {
    operationId,
    summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    "x-ag-route": route.path,
    "x-ag-endpoint": endpoint,
    ...(Number.isFinite(route.timeout) && { "x-ag-timeout": route.timeout }),
    requestBody: {
      required: true,
      content: { "application/json": { schema: bodySchema(route, endpoint, schemas.input) } },
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

/** Takes anything: the example is what the function's parameter is destructured into. */
function shownInputs({ declared }: RouteDefinition): Json {
  const skeleton = inputSkeleton(declared);
  return skeleton === undefined ? {} : { examples: [skeleton] };
}

function bodySchema(route: RouteDefinition, endpoint: Endpoint, inputs: Json): Json {
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
        ...slug,
        description: "The slug of an environment, such as production.",
      },
      variant: {
        type: "object",
        required: ["slug"],
        properties: {
          slug,
          revision: {
            type: ["integer", "null"],
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "The latest one where it is not given.",
          },
        },
        additionalProperties: false,
      },
      inputs,
    },
    not: { required: ["environment", "variant"] },
    additionalProperties: false,
  };
}

function operation(operationId: string, summary: string, schema: Json): Json {
  const content = { "application/json": { schema } };
  return { operationId, summary, responses: { 200: { description: summary, content } } };
}
