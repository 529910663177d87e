import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { UniqueNames } from "./unique-names.ts";

type Json = Record<string, unknown>;

/**
 * The JSON Schemas of a document. Those that refer to themselves are named components of it: their
 * references count from the top of the document, wherever they stand.
 */
export class SchemaComponents {
  readonly schemas: Record<string, Json>;
  readonly #names = new UniqueNames();

  constructor(schemas: Record<string, Json>) {
    this.schemas = schemas;
    for (const name of Object.keys(schemas)) this.#names.take(name);
  }

  /** A schema library's own JSON Schema, where it can write one; otherwise a schema that takes anything. */
  schemaOf(schema: StandardSchemaV1 | undefined, side: "input" | "output", name: string): Json {
    const converter = (schema as Partial<StandardJSONSchemaV1> | undefined)?.["~standard"]
      ?.jsonSchema;
    if (converter === undefined) return {};
    try {
      const { $schema: _dialect, ...json } = converter[side]({ target: "draft-2020-12" });
      return this.#placed(json, name);
    } catch {
      return { description: "The schema library has no JSON Schema for this." };
    }
  }

  #placed(json: Json, wanted: string): Json {
    if (!hasReference(json)) return json;
    // All that the name of a component may have.
    const name = this.#names.take(wanted.replaceAll(/[^A-Za-z0-9._-]/g, "_"));
    const base = `#/components/schemas/${name}`;
    const moved = JSON.stringify(json, (key, value: unknown) =>
      isReference(key, value) ? `${base}${value.slice(1)}` : value,
    );
    this.schemas[name] = JSON.parse(moved) as Json;
    return { $ref: base };
  }
}

/** Whether it refers to a part of itself. */
function hasReference(json: Json): boolean {
  let found = false;
  JSON.stringify(json, (key, value: unknown) => {
    found ||= isReference(key, value);
    return value;
  });
  return found;
}

function isReference(key: string, value: unknown): value is string {
  return key === "$ref" && typeof value === "string" && value.startsWith("#");
}
