import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { messageOf } from "../tracing/describe-thrown.ts";

type Json = Record<string, unknown>;

type MayConvert = StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;

/** A schema of a route: `/say`, `input`. */
export interface SchemaPlace {
  readonly route: string;
  readonly part: "input" | "output" | "stream";
}

/**
 * The JSON Schemas of a document. Those that refer to themselves are named components of it: their
 * references count from the top of the document, wherever they stand.
 */
export class SchemaComponents {
  readonly schemas: Record<string, Json>;
  readonly #names = new UniqueNames();
  readonly #warn: (sentence: string) => void;

  constructor(schemas: Record<string, Json>, warn: (sentence: string) => void) {
    this.schemas = schemas;
    this.#warn = warn;
    for (const name of Object.keys(schemas)) this.#names.take(name);
  }

  /**
   * A schema library's own JSON Schema. Where the library writes none, or one that is not JSON, the
   * schema takes anything: one schema must not cost the app its document.
   */
  schemaOf(schema: StandardSchemaV1 | undefined, { route, part }: SchemaPlace): Json {
    if (schema === undefined) return {};
    try {
      const { jsonSchema: converter }: MayConvert = schema["~standard"];
      if (converter === undefined) return {};
      const side = part === "input" ? "input" : "output";
      const { $schema: _dialect, ...json } = asJson(converter[side]({ target: "draft-2020-12" }));
      return this.#placed(json, `${route === "/" ? route : route.slice(1)}.${part}`);
    } catch (error) {
      const [line = ""] = messageOf(error).split("\n", 1);
      const reason = `${line.replace(/\.+$/, "")}.`;
      this.#warn(
        `The ${part} schema of the route ${route} has no JSON Schema: ${reason} /openapi.json describes it as taking anything; calls are still checked.`,
      );
      return { description: `Not described: the schema has no JSON Schema. ${reason}` };
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

/** What remains of a value when it is sent. */
function asJson(value: unknown): Json {
  const text = JSON.stringify(value) as string | undefined;
  const json: unknown = text === undefined ? undefined : JSON.parse(text);
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Json;
  throw new TypeError(`The schema library wrote ${text}, which is no schema.`);
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

/** Gives out names, each once: the second `run_a_b` is `run_a_b_2`. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n += 1) name = `${wanted}_${n}`;
    this.#taken.add(name);
    return name;
  }
}
