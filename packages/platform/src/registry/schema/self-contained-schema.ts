type Json = Readonly<Record<string, unknown>>;

export type SelfContained =
  | { readonly kind: "schema"; readonly schema: Json }
  /** It refers to a component that is not there. */
  | { readonly kind: "missing"; readonly name: string };

const COMPONENT = /^#\/components\/schemas\/([A-Za-z0-9._-]+)(\/.*)?$/;
/** Values of these are data, whatever they look like. */
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
export function selfContained(schema: Json, components: Json): SelfContained {
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

  const moved = rewritten(schema, refer) as Json;
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
