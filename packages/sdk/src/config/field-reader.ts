import { closestName } from "./closest-name.ts";
import type { ConfigField } from "./config-field.ts";
import type { ConfigIssueType } from "./config-issue-types.ts";
import type { ParseOptions } from "./config-schema.ts";
import type { Issue } from "./issue.ts";
import { shownChoices, shownValue } from "./shown-value.ts";
import { createValueCheck } from "./value-check.ts";

/** What somebody gave for the fields of a configuration. */
export interface FieldReading {
  /** One for each field, in their order; undefined for what was not given. */
  readonly given: readonly unknown[];
  /** In the order of the fields; fields that are not there come last. */
  readonly issues: readonly Issue[];
}

export type FieldReader = (values: unknown, options: ParseOptions) => FieldReading;

const NO_ISSUES: readonly Issue[] = [];

/** Reads and checks any subset of the fields. Names such as `__proto__` are names like any other. */
export function createFieldReader(fields: readonly ConfigField[]): FieldReader {
  const checks = fields.map((field) => ({ name: field.name, check: createValueCheck(field) }));
  const names: ReadonlySet<string> = new Set(fields.map(({ name }) => name));

  return (values, { unknownFields }) => {
    if (!isRecord(values)) {
      const message = `Takes an object of fields, not ${shownValue(values)}.`;
      return { given: [], issues: [issue([], "object_type", message)] };
    }
    let issues: Issue[] | null = null;
    const given: unknown[] = [];
    for (const { name, check } of checks) {
      // `undefined` is what JavaScript has for a property that is not there.
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      given.push(value);
      if (value === undefined) continue;
      const problem = check(value);
      if (problem === null) continue;
      issues ??= [];
      issues.push(issue([name], problem.type, problem.message));
    }
    if (unknownFields === "refuse") {
      for (const key of Object.keys(values)) {
        if (names.has(key)) continue;
        issues ??= [];
        issues.push(issue([key], "unknown_field", unknownField(key, names)));
      }
    }
    return { given, issues: issues ?? NO_ISSUES };
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownField(key: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return "There is no such field; the configuration has none.";
  const meant = closestName(key, names);
  return meant === undefined
    ? `There is no such field. Write ${shownChoices([...names])}.`
    : `There is no such field; did you mean ${shownValue(meant)}?`;
}

function issue(path: readonly string[], type: ConfigIssueType, message: string): Issue {
  return { path, message, type };
}
