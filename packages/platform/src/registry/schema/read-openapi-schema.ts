import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { isDeeperThan, isRecord, shownValue } from "@agate/protocol";

export type OpenapiReading =
  | { readonly kind: "routes"; readonly routes: readonly RouteSchema[] }
  /** One sentence for the client that sent the document. */
  | { readonly kind: "invalid"; readonly reason: string };

const MAX_DEPTH = 200;

/**
 * Takes from a workflow's `/openapi.json` what the platform needs to know about its routes. The
 * playground's operations have it: `x-ag-route` is the route, `config` in the body its configuration.
 * A workflow without a playground has the configuration as `x-ag-config` of the deployed operations.
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

type JsonObject = Readonly<Record<string, unknown>>;

function readRoutes(document: unknown): RouteSchema[] {
  const paths = recordAt(document, ["paths"]);
  const components = isRecord(document) ? schemasOf(document.components) : {};
  const routes = new Map<string, RouteSchema>();
  for (const [path, item] of Object.entries(paths)) {
    const operation = isRecord(item) ? item.post : undefined;
    if (!isRecord(operation) || !hasConfig(operation)) continue;
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

function hasConfig(operation: JsonObject): boolean {
  const endpoint = operation["x-ag-endpoint"];
  return endpoint === "playground" || (endpoint === "deployed" && "x-ag-config" in operation);
}

function readRoute(
  route: string,
  operation: JsonObject,
  at: readonly string[],
  components: JsonObject,
): RouteSchema {
  const toSchema = ["requestBody", "content", "application/json", "schema"];
  const toFields =
    "x-ag-config" in operation
      ? ["x-ag-config", "properties"]
      : [...toSchema, "properties", "config", "properties"];
  const fields = Object.entries(recordAt(operation, toFields, at)).map(
    ([name, field]) => [name, readField(field, [...at, ...toFields, name])] as const,
  );
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
function readInside(field: JsonObject, at: readonly string[]) {
  const { properties, items } = field;
  const isObject = [field.type].flat()[0] === "object";
  const isList = [field.type].flat()[0] === "array";
  if (isObject && !isRecord(properties)) throw new Unreadable([...at, "properties"], "an object");
  return {
    ...(isObject && {
      properties: Object.fromEntries(
        Object.entries(properties as JsonObject).map(([name, inner]) => {
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

function recordAt(from: unknown, path: readonly string[], at: readonly string[] = []): JsonObject {
  let found = from;
  for (const key of path) {
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  if (!isRecord(found)) throw new Unreadable([...at, ...path], "an object");
  return found;
}

function schemasOf(components: unknown): JsonObject {
  return isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
}

type SelfContained =
  | { readonly kind: "schema"; readonly schema: JsonObject }
  /** It refers to a component that is not there. */
  | { readonly kind: "missing"; readonly name: string };

const COMPONENT = /^#\/components\/schemas\/([A-Za-z0-9._-]+)(\/.*)?$/;
/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "default", "enum", "examples"]);
/** Values of these map names to schemas: a property called `default` is not the keyword. */
const NAMED_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/**
 * A JSON Schema that can be read without the OpenAPI document it stood in: the components that it
 * refers to, and those that they refer to, come along under `$defs`.
 */
function selfContained(schema: JsonObject, components: JsonObject): SelfContained {
  // Under their own names, unless the schema has a definition of that name already.
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(Object(schema.$defs) as object));
  const waiting: string[] = [];
  const refer = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    names.set(name, free);
    waiting.push(name);
    return free;
  };

  const moved = rewritten(schema, refer) as JsonObject;
  const definitions: [string, unknown][] = [];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (!Object.hasOwn(components, name)) return { kind: "missing", name };
    definitions.push([refer(name), rewritten(components[name], refer)]);
  }
  if (definitions.length === 0) return { kind: "schema", schema: moved };
  const own = Object.entries(Object(moved.$defs) as object);
  return {
    kind: "schema",
    schema: { ...moved, $defs: Object.fromEntries([...own, ...definitions]) },
  };
}

function rewritten(schema: unknown, refer: (name: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => rewritten(item, refer));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, rewrittenKeyword(key, value, refer)]),
  );
}

function rewrittenKeyword(key: string, value: unknown, refer: (name: string) => string): unknown {
  if (DATA.has(key)) return value;
  if (key === "$ref" && typeof value === "string") {
    const [, name, rest = ""] = COMPONENT.exec(value) ?? [];
    return name === undefined ? value : `#/$defs/${refer(name)}${rest}`;
  }
  if (NAMED_SCHEMAS.has(key) && typeof value === "object" && value !== null) {
    const schemas = Object.entries(value);
    return Object.fromEntries(schemas.map(([name, schema]) => [name, rewritten(schema, refer)]));
  }
  return rewritten(value, refer);
}
