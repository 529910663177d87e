import { shownValue } from "../shown-value.ts";
import { unknownVariable } from "../template.ts";
import { unknownName } from "../unknown-name.ts";
import { isRecord, refusedBy } from "./refused-by.ts";
import type { ConfigFieldSchema } from "./route-schema.ts";

/** Something wrong with the values of a configuration. */
export type ConfigFault = {
  /** From the configuration to the part that is wrong: `["retrieval", "weights", 2]`. */
  readonly path: readonly (string | number)[];
  /** A sentence: "Takes a number of at most 2, not 3." */
  readonly message: string;
} & (
  | { readonly kind: "refused"; readonly takes: string; readonly given: string }
  /** It has no default, and its object lacks it. */
  | { readonly kind: "missing" }
  /** There is no such field. */
  | { readonly kind: "unknown" }
);

type Fields = Readonly<Record<string, ConfigFieldSchema>>;

/**
 * What the fields do not take of values, which may be any subset. The registry checks what is
 * committed with it, and the playground what is typed. `ignore` is for stored configurations: to find
 * the name that was meant by each of a million unknown fields takes minutes.
 */
export function configFaults(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  { unknownFields = "refuse" }: { readonly unknownFields?: "refuse" | "ignore" } = {},
): Iterable<ConfigFault> {
  return new FaultFinder(unknownFields === "refuse").ofFields({ properties: fields }, values, []);
}

class FaultFinder {
  readonly #refusesUnknown: boolean;

  constructor(refusesUnknown: boolean) {
    this.#refusesUnknown = refusesUnknown;
  }

  *ofFields(
    { properties = {}, required = [] }: Pick<ConfigFieldSchema, "properties" | "required">,
    values: Readonly<Record<string, unknown>>,
    at: ConfigFault["path"],
  ): Iterable<ConfigFault> {
    for (const [name, field] of Object.entries(properties)) {
      const path = [...at, name];
      // A field that is undefined, as in a draft, is the same as one that is not there.
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined) yield* this.#ofValue(field, value, path);
      else if (required.includes(name)) {
        yield { path, kind: "missing", message: "Required: it has no default." };
      }
    }
    if (!this.#refusesUnknown) return;
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(properties, name)) continue;
      const message = unknownName("field", name, Object.keys(properties));
      yield { path: [...at, name], kind: "unknown", message };
    }
  }

  *#ofValue(
    field: ConfigFieldSchema,
    value: unknown,
    path: ConfigFault["path"],
  ): Iterable<ConfigFault> {
    const takes = refusedBy(field, value);
    if (takes !== undefined) {
      const given = shownRefused(field, value);
      yield { path, kind: "refused", takes, given, message: `Takes ${takes}, not ${given}.` };
    } else if (isRecord(value)) {
      yield* this.ofFields(field, value, path);
    } else if (Array.isArray(value) && field.items !== undefined) {
      for (const [index, item] of value.entries()) {
        yield* this.#ofValue(field.items, item, [...path, index]);
      }
    }
  }
}

function shownRefused(field: ConfigFieldSchema, value: unknown): string {
  if (Array.isArray(value) && (field.minItems ?? field.maxItems) !== undefined) {
    return `a list of ${value.length}`;
  }
  const variables = field["x-ag-variables"];
  const unknown =
    typeof value === "string" && variables !== undefined
      ? unknownVariable(value, variables)
      : undefined;
  return unknown === undefined ? shownValue(value) : `{{${unknown}}}`;
}
