import { shownValue, unknownName } from "@agate/protocol";
import type { ConfigField } from "./config-field.ts";
import type { ConfigIssueType } from "./config-issue-types.ts";
import type { ParseOptions } from "./config-schema.ts";
import type { Issue } from "./issue.ts";
import { createValueCheck } from "./value-check.ts";

/** What somebody gave for the fields of a configuration. */
export interface FieldReading {
  /** One for each field, in their order; undefined for what was not given. */
  readonly given: readonly unknown[];
  /** In the order of the fields; fields that are not there come last. */
  readonly issues: readonly Issue[];
}

export type FieldReader = (values: unknown, options: ParseOptions) => FieldReading;

/** Reads and checks any subset of the fields. Names such as `__proto__` are names like any other. */
export function createFieldReader(fields: readonly ConfigField[]): FieldReader {
  const checks = fields.map((field) => ({ path: [field.name], check: createValueCheck(field) }));
  const positions: ReadonlyMap<string, number> = new Map(
    fields.map(({ name }, position) => [name, position]),
  );

  return (values, { unknownFields }) => {
    if (!isRecord(values)) {
      const message = `Takes an object of fields, not ${shownValue(values)}.`;
      return { given: [], issues: [issue([], "object_type", message)] };
    }
    const given = new Array<unknown>(fields.length).fill(undefined);
    const unknown: string[] = [];
    for (const key of Object.keys(values)) {
      const position = positions.get(key);
      if (position === undefined) unknown.push(key);
      else given[position] = values[key];
    }
    const issues: Issue[] = [];
    // Each call of a route comes through here: `entries()` would make it take twice as long.
    for (let position = 0; position < checks.length; position++) {
      const { path, check } = checks[position]!;
      const value = given[position];
      // `undefined` is what JavaScript has for a property that is not there.
      const problem = value === undefined ? null : check(value);
      if (problem !== null) issues.push(issue(path, problem.type, problem.message));
    }
    if (unknownFields === "refuse") {
      for (const key of unknown) {
        issues.push(
          issue([key], "unknown_field", unknownName("field", key, [...positions.keys()])),
        );
      }
    }
    return { given, issues };
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function issue(path: readonly string[], type: ConfigIssueType, message: string): Issue {
  return { path, message, type };
}
