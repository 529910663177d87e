import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { isRecord, shownValue } from "@agate/protocol";
import { isDeeperThan } from "../params/json-depth.ts";
import { selfContained } from "./self-contained-schema.ts";

export type OpenapiReading =
  | { readonly kind: "routes"; readonly routes: readonly RouteSchema[] }
  /** One sentence, for whoever sent the document. */
  | { readonly kind: "invalid"; readonly reason: string };

const MAX_DEPTH = 200;

/**
 * Takes from a workflow's `/openapi.json` what the platform needs to know about its routes. The
 * playground's operations have it: `x-ag-route` is the route, `config` in the body its configuration.
 */
export function readOpenapiSchema(document: unknown): OpenapiReading {
  try {
    if (isDeeperThan(document, MAX_DEPTH)) {
      throw new Unreadable([], `nested ${MAX_DEPTH} levels deep at most`);
    }
    return { kind: "routes", routes: readRoutes(document) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: "invalid", reason: error.message };
  }
}

/** Never leaves this file. */
class Unreadable extends Error {
  constructor(path: readonly string[], expected: string) {
    const where = path.length === 0 ? "it" : path.map((key) => `[${shownValue(key)}]`).join("");
    super(
      `This is not the document of a workflow: ${where} should be ${expected}. Send what the workflow itself answers at GET /openapi.json.`,
    );
  }
}

type Json = Readonly<Record<string, unknown>>;

function readRoutes(document: unknown): RouteSchema[] {
  const paths = recordAt(document, ["paths"]);
  const components = isRecord(document) ? schemasOf(document.components) : {};
  const routes = new Map<string, RouteSchema>();
  for (const [path, item] of Object.entries(paths)) {
    const operation = isRecord(item) ? item.post : undefined;
    if (!isRecord(operation) || operation["x-ag-endpoint"] !== "playground") continue;
    const at = ["paths", path, "post"];
    const route = operation["x-ag-route"];
    if (typeof route !== "string" || !route.startsWith("/")) {
      throw new Unreadable([...at, "x-ag-route"], 'a path that begins with "/"');
    }
    // The entrypoint is served at two paths.
    if (!routes.has(route)) routes.set(route, readRoute(route, operation, at, components));
  }
  if (routes.size === 0) {
    throw new Unreadable(
      ["paths"],
      'an object of operations, some with "x-ag-route" and "x-ag-endpoint"',
    );
  }
  return [...routes.values()];
}

function readRoute(
  route: string,
  operation: Json,
  at: readonly string[],
  components: Json,
): RouteSchema {
  const toSchema = ["requestBody", "content", "application/json", "schema"];
  const config = recordAt(operation, [...toSchema, "properties", "config", "properties"], at);
  const fields = Object.entries(config).map(([name, field]) => {
    const place = [...at, ...toSchema, "properties", "config", "properties", name];
    return [name, readField(field, place)] as const;
  });
  const inputs = recordAt(operation, [...toSchema, "properties", "inputs"], at);
  const contained = selfContained(inputs, components);
  if (contained.kind === "missing") {
    throw new Unreadable(
      ["components", "schemas", contained.name],
      "a JSON Schema, as a route refers to it",
    );
  }
  return { route, config: Object.fromEntries(fields), inputs: contained.schema };
}

function readField(field: unknown, at: readonly string[]): ConfigFieldSchema {
  if (!isRecord(field)) throw new Unreadable(at, "a JSON Schema");
  const type = readType(field.type);
  if (type === undefined) throw new Unreadable([...at, "type"], FIELD_TYPES.join(" or "));
  if (!Object.hasOwn(field, "x-ag-control")) {
    throw new Unreadable([...at, "x-ag-control"], "there");
  }
  const known = Object.entries(field).filter(([key]) => Object.hasOwn(KEYWORDS, key));
  for (const [key, value] of known) {
    const { isValid, expected } = KEYWORDS[key] as Keyword;
    if (!isValid(value)) throw new Unreadable([...at, key], expected);
  }
  return { type, ...Object.fromEntries(known), ...readInside(field, at) } as ConfigFieldSchema;
}

function readType(type: unknown): ConfigFieldSchema["type"] | undefined {
  const [only, beside] = Array.isArray(type) ? type : [type];
  const known = FIELD_TYPES.find((name) => name === only);
  if (known === undefined || !Array.isArray(type)) return known;
  return type.length === 2 && beside === "null" ? [known, "null"] : undefined;
}

/** The fields of an object, the items of a list. */
function readInside(field: Json, at: readonly string[]) {
  const { properties, items } = field;
  const isObject = [field.type].flat()[0] === "object";
  const isList = [field.type].flat()[0] === "array";
  if (isObject && !isRecord(properties)) throw new Unreadable([...at, "properties"], "an object");
  return {
    ...(isObject && {
      properties: Object.fromEntries(
        Object.entries(properties as Json).map(([name, inner]) => {
          return [name, readField(inner, [...at, "properties", name])];
        }),
      ),
    }),
    ...(isList && { items: readField(items, [...at, "items"]) }),
  };
}

const FIELD_TYPES = ["string", "integer", "number", "boolean", "object", "array"] as const;

interface Keyword {
  readonly isValid: (value: unknown) => boolean;
  readonly expected: string;
}

const number: Keyword = { isValid: Number.isFinite, expected: "a number" };
const text: Keyword = { isValid: (value) => typeof value === "string", expected: "a string" };
const texts: Keyword = { isValid: isTexts, expected: "a list of strings" };
const count: Keyword = {
  isValid: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: "a whole number from 0",
};

/** What is kept of a field beside its type and what is inside of it: the keywords that the SDK writes. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  default: { isValid: () => true, expected: "anything" },
  title: text,
  description: text,
  minimum: number,
  exclusiveMinimum: number,
  maximum: number,
  exclusiveMaximum: number,
  enum: {
    isValid: (value) => Array.isArray(value) && isTexts(value.filter((item) => item !== null)),
    expected: "a list of strings",
  },
  pattern: text,
  required: texts,
  additionalProperties: { isValid: (value) => value === false, expected: "false" },
  minItems: count,
  maxItems: count,
  "x-ag-variables": texts,
  "x-ag-control": text,
  "x-ag-groups": {
    isValid: (value) => isRecord(value) && Object.values(value).every(isTexts),
    expected: "lists of strings by group",
  },
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function recordAt(from: unknown, path: readonly string[], at: readonly string[] = []): Json {
  let found = from;
  for (const key of path) {
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  if (!isRecord(found)) throw new Unreadable([...at, ...path], "an object");
  return found;
}

function schemasOf(components: unknown): Json {
  return isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
}
