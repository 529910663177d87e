import { isRecord, isSameJson } from "../json-value.ts";
import type { JsonSchema } from "../schema-ref.ts";
import { resolveSchema } from "../schema-ref.ts";
import { choiceList, mustBe, shownValue } from "../shown-value.ts";

/** Where the inputs of a row do not fit what a route takes. */
export interface InputFault {
  /** From the inputs to the part that is wrong: `["messages", 2, "role"]`. */
  readonly path: readonly (string | number)[];
  readonly msg: string;
}

/** A schema that refers to itself in several branches could keep the check busy without end. */
const MOST_STEPS = 20_000;
/** Of schemas in each other: one that refers to itself must not use up the stack. */
const MOST_LEVELS = 300;
/** Of one row. */
const MOST_FAULTS = 10;

/**
 * Checks inputs against the JSON Schema of a route: types, required and unknown fields, choices, bounds
 * and lengths. Patterns, formats and other keywords are left to the route itself, whose check is the
 * one that counts; so is what takes too many steps.
 */
export function inputFaults(schema: JsonSchema, inputs: unknown): readonly InputFault[] {
  const check = new SchemaCheck(schema);
  const faults = check.faults(schema, inputs, []);
  return check.isExhausted ? [] : faults.slice(0, MOST_FAULTS);
}

type Path = InputFault["path"];

class SchemaCheck {
  readonly #root: JsonSchema;
  #steps = 0;
  #level = 0;
  #isExhausted = false;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  faults(schema: unknown, value: unknown, path: Path): InputFault[] {
    if (++this.#steps > MOST_STEPS || this.#level > MOST_LEVELS) this.#isExhausted = true;
    if (this.#isExhausted) return [];
    this.#level++;
    const faults = this.#faultsOf(schema, value, path);
    this.#level--;
    return faults;
  }

  #faultsOf(schema: unknown, value: unknown, path: Path): InputFault[] {
    if (schema === false) return [{ path, msg: "Must be left out." }];
    const found = resolveSchema(this.#root, schema);
    const allowed = refusal(found, value);
    if (allowed !== undefined) return [{ path, msg: mustBe(allowed, shownValue(value)) }];
    const faults = this.#branchFaults(found, value, path);
    if (isRecord(value)) faults.push(...this.#fieldFaults(found, value, path));
    if (Array.isArray(value)) faults.push(...this.#itemFaults(found, value, path));
    return faults;
  }

  #branchFaults({ allOf, anyOf, oneOf }: JsonSchema, value: unknown, path: Path): InputFault[] {
    const all = Array.isArray(allOf) ? allOf : [];
    const faults = all.flatMap((branch) => this.faults(branch, value, path));
    for (const branches of [anyOf, oneOf]) {
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const tried = branches.map((branch) => this.faults(branch, value, path));
      if (tried.some((found) => found.length === 0)) continue;
      const deepest = tried.reduce((best, found) =>
        depthOf(found) > depthOf(best) ? found : best,
      );
      // Of one that got further than the others its own faults say more.
      if (depthOf(deepest) > path.length) faults.push(...deepest);
      else faults.push({ path, msg: "Fits none of the alternatives that the route takes." });
    }
    return faults;
  }

  #fieldFaults(schema: JsonSchema, value: JsonSchema, path: Path): InputFault[] {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const faults: InputFault[] = required
      .filter((name) => typeof name === "string" && !Object.hasOwn(value, name))
      .map((name) => ({ path: [...path, String(name)], msg: "Required." }));
    for (const [name, inner] of Object.entries(value)) {
      const at = [...path, name];
      if (Object.hasOwn(properties, name)) faults.push(...this.faults(properties[name], inner, at));
      else if (isRecord(schema.patternProperties)) continue;
      else if (schema.additionalProperties === false) {
        faults.push({ path: at, msg: "The route has no such input." });
      } else if (isRecord(schema.additionalProperties)) {
        faults.push(...this.faults(schema.additionalProperties, inner, at));
      }
      if (faults.length >= MOST_FAULTS) break;
    }
    return faults;
  }

  #itemFaults({ prefixItems, items }: JsonSchema, value: unknown[], path: Path): InputFault[] {
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    const faults: InputFault[] = [];
    for (const [index, item] of value.entries()) {
      const schema = index < first.length ? first[index] : items;
      if (schema !== undefined) faults.push(...this.faults(schema, item, [...path, index]));
      if (faults.length >= MOST_FAULTS || this.isExhausted) break;
    }
    return faults;
  }
}

function depthOf(faults: readonly InputFault[]): number {
  return Math.max(...faults.map(({ path }) => path.length));
}

/** What the schema allows, if it refuses this value; not looking into objects and lists. */
function refusal(schema: JsonSchema, value: unknown): string | undefined {
  const { type, enum: choices } = schema;
  const types = [type].flat().filter((name) => typeof name === "string");
  if (types.length > 0 && !types.some((name) => isOfType(name, value))) {
    return types.map((name) => TYPE_WORDS[name] ?? name).join(" or ");
  }
  if (Object.hasOwn(schema, "const") && !isSameJson(schema.const, value)) {
    return shownValue(schema.const);
  }
  if (Array.isArray(choices) && !choices.some((choice) => isSameJson(choice, value))) {
    return choices.every((choice) => typeof choice === "string")
      ? choiceList(choices)
      : "one of the values that the route takes";
  }
  return outOfBounds(schema, value);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}

function outOfBounds(schema: JsonSchema, value: unknown): string | undefined {
  if (typeof value === "number") {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
    if (isNumber(minimum) && value < minimum) return `${minimum} or more`;
    if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) {
      return `greater than ${exclusiveMinimum}`;
    }
    if (isNumber(maximum) && value > maximum) return `${maximum} or less`;
    if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) {
      return `less than ${exclusiveMaximum}`;
    }
  }
  if (typeof value === "string") {
    const { minLength, maxLength } = schema;
    // As JSON Schema counts: characters beyond 16 bits are one.
    const length = isNumber(minLength) || isNumber(maxLength) ? [...value].length : 0;
    return outside(length, minLength, maxLength, "characters");
  }
  if (Array.isArray(value)) return outside(value.length, schema.minItems, schema.maxItems, "items");
  return undefined;
}

function outside(length: number, least: unknown, most: unknown, what: string): string | undefined {
  if (isNumber(least) && length < least) return `at least ${least} ${what} long`;
  if (isNumber(most) && length > most) return `at most ${most} ${what} long`;
  return undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
