import { isRecord, itemCount, mustBe, shownValue, unknownName } from "@agate/protocol";
import type { ConfigField, ConfigType, ListType, ParseOptions } from "./config-schema.ts";
import type { Issue } from "./config-validation-error.ts";
import { copyData } from "./copy-data.ts";
import type { ConfigIssueType } from "./value-check.ts";
import { createValueCheck } from "./value-check.ts";

/** The values given for the fields of a configuration. */
export interface FieldReading {
  /**
   * One for each field, in their order; undefined for what was not given. An object or a list is a
   * copy, with what was not given inside of it, and is its default where nothing was given.
   */
  readonly given: readonly unknown[];
  /** In the order of the fields; fields that are not there come last. */
  readonly issues: readonly Issue[];
}

export type FieldReader = (values: unknown, options: ParseOptions) => FieldReading;

type Path = Issue["path"];

/** A body of a few megabytes can have millions of wrong items: the response stays readable. */
export const MOST_ISSUES = 100;

/** What a reading collects, and how it goes about it. */
interface Reading extends ParseOptions {
  readonly issues: Issue[];
}

/** Checks a value; returns it as the configuration is to have it. */
type ValueReader = (value: unknown, path: Path, reading: Reading) => unknown;

/** Reads and checks any subset of the fields. Names such as `__proto__` are names like any other. */
export function createFieldReader(fields: readonly ConfigField[]): FieldReader {
  const readers = fields.map((field) => ({
    path: [field.name],
    read: createValueReader(field),
    // Each call has lists and objects of its own. Other defaults are filled in by the caller.
    composite: typeof field.default === "object" ? field.default : undefined,
  }));
  const positions = positionsOf(fields);

  return (values, { unknownFields }) => {
    if (!isRecord(values)) return { given: [], issues: [notAnObject(values, [])] };
    const { given, unknown } = sortByField(positions, values);
    const reading: Reading = { unknownFields, issues: [] };
    // Each call of a route comes through here: `entries()` would make it take twice as long.
    for (let position = 0; position < readers.length; position++) {
      const { path, read, composite } = readers[position]!;
      // `undefined` is what JavaScript has for a property that is not there.
      const value = given[position] === undefined ? composite : given[position];
      if (value !== undefined) given[position] = read(value, path, reading);
    }
    refuseUnknown(unknown, positions, [], reading);
    return { given, issues: reading.issues };
  };
}

/** All defaults, as plain data that nothing can change. */
export function defaultsOf(fields: readonly ConfigField[]): Readonly<Record<string, unknown>> {
  const given = fields.filter((field) => field.default !== undefined);
  return frozenData(
    Object.fromEntries(given.map((field) => [field.name, copyData(field.default)])),
  );
}

function frozenData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) frozenData(inner);
  return Object.freeze(value);
}

function createValueReader(type: ConfigType): ValueReader {
  const read = readerOf(type);
  if (type.isNullable !== true) return read;
  return (value, path, reading) => (value === null ? null : read(value, path, reading));
}

function readerOf(type: ConfigType): ValueReader {
  switch (type.kind) {
    case "object":
      return createObjectReader(type.fields);
    case "list":
    case "messages":
      return createListReader(type);
    default: {
      const check = createValueCheck(type);
      return (value, path, reading) => {
        const problem = check(value);
        if (problem !== null) report(reading, issue(path, problem.type, problem.message));
        return value;
      };
    }
  }
}

function createListReader(type: ListType): ValueReader {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = type;
  const read = createValueReader(type.items);
  return (value, path, reading) => {
    if (!Array.isArray(value)) {
      report(reading, issue(path, "list_type", mustBe("a list", shownValue(value))));
      return value;
    }
    const wrong = value.length < minItems ? "too_few_items" : "too_many_items";
    if (value.length < minItems || value.length > maxItems) {
      const bound =
        wrong === "too_few_items"
          ? `a list of at least ${itemCount(minItems)}`
          : `a list of at most ${itemCount(maxItems)}`;
      const message = mustBe(bound, `a list of ${value.length}`);
      report(reading, issue(path, wrong, message));
      return value;
    }
    const items: unknown[] = [];
    for (let index = 0; index < value.length && !isFull(reading); index++) {
      items.push(read(value[index], [...path, index], reading));
    }
    return items;
  };
}

/** An object inside of a configuration: what was given, over the defaults of its fields. */
function createObjectReader(fields: readonly ConfigField[]): ValueReader {
  const readers = fields.map(createValueReader);
  const positions = positionsOf(fields);
  // zod reads a field from the prototype as well, where it would find `constructor`.
  const prototype = fields.some(({ name }) => name in Object.prototype) ? null : Object.prototype;
  return (value, path, reading) => {
    if (!isRecord(value)) {
      report(reading, notAnObject(value, path));
      return value;
    }
    const { given, unknown } = sortByField(positions, value);
    const object = Object.create(prototype) as Record<string, unknown>;
    for (const [position, field] of fields.entries()) {
      const member = given[position] === undefined ? field.default : given[position];
      const read = readers[position]!;
      if (member !== undefined) object[field.name] = read(member, [...path, field.name], reading);
      else if (field.isRequired === true) {
        const message = "Required: it has no default.";
        report(reading, issue([...path, field.name], "missing_field", message));
      }
    }
    refuseUnknown(unknown, positions, path, reading);
    return object;
  };
}

type Positions = ReadonlyMap<string, number>;

function positionsOf(fields: readonly ConfigField[]): Positions {
  return new Map(fields.map(({ name }, position) => [name, position]));
}

function sortByField(positions: Positions, values: Readonly<Record<string, unknown>>) {
  const given = new Array<unknown>(positions.size).fill(undefined);
  const unknown: string[] = [];
  // Not by `Object.keys`, which makes a list of them for each call of a route.
  for (const key in values) {
    if (!Object.hasOwn(values, key)) continue;
    const position = positions.get(key);
    if (position === undefined) unknown.push(key);
    else given[position] = values[key];
  }
  return { given, unknown };
}

function refuseUnknown(
  unknown: readonly string[],
  positions: Positions,
  path: Path,
  reading: Reading,
): void {
  if (reading.unknownFields !== "refuse") return;
  for (const key of unknown) {
    if (isFull(reading)) return;
    const message = unknownName("field", key, [...positions.keys()]);
    report(reading, issue([...path, key], "unknown_field", message));
  }
}

function report(reading: Reading, found: Issue): void {
  if (!isFull(reading)) reading.issues.push(found);
}

function isFull({ issues }: Reading): boolean {
  return issues.length >= MOST_ISSUES;
}

function notAnObject(value: unknown, path: Path): Issue {
  return issue(path, "object_type", mustBe("an object of fields", shownValue(value)));
}

function issue(path: Path, type: ConfigIssueType, message: string): Issue {
  return { path, message, type };
}
