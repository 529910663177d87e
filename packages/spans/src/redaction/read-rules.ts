import {
  type CustomPattern,
  mustBe,
  REDACTION_PATTERNS,
  type RedactionPattern,
  type RedactionRules,
  shownValue,
} from "@agate/protocol";
import { checkPattern, MOST_STEPS } from "./custom-pattern.ts";

export const MOST_KEYS = 200;
const LONGEST_KEY = 200;
export const MOST_CUSTOM_PATTERNS = 20;
const FIELDS = ["keys", "patterns", "custom"];
/** The name of a pattern of a project. */
export const CUSTOM_PATTERN_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

export interface RuleProblem {
  /** Where in the rules: `["custom", 0, "regex"]`. */
  readonly path: readonly (string | number)[];
  readonly msg: string;
}

export type ReadRules =
  | { readonly kind: "rules"; readonly rules: RedactionRules }
  | { readonly kind: "problems"; readonly problems: readonly [RuleProblem, ...RuleProblem[]] };

/** Reads rules that were given as JSON. A list that is left out is empty; all problems are reported. */
export function readRules(json: unknown): ReadRules {
  if (!isObject(json)) {
    const msg = mustBe("an object with keys, patterns and custom", shownValue(json));
    return { kind: "problems", problems: [{ path: [], msg }] };
  }
  const problems: RuleProblem[] = [];
  const refuse = (path: RuleProblem["path"], msg: string) => problems.push({ path, msg });
  for (const field of Object.keys(json)) {
    if (!FIELDS.includes(field)) {
      refuse([field], "There is no such field. The fields are keys, patterns and custom.");
    }
  }
  const rules = {
    keys: readKeys(json.keys, refuse),
    patterns: readPatterns(json.patterns, refuse),
    custom: readCustom(json.custom, refuse),
  };
  const [first, ...others] = problems;
  return first === undefined
    ? { kind: "rules", rules }
    : { kind: "problems", problems: [first, ...others] };
}

type Refuse = (path: RuleProblem["path"], msg: string) => void;

function readKeys(value: unknown, refuse: Refuse): string[] {
  const list = readList(value, "keys", MOST_KEYS, refuse);
  const keys: string[] = [];
  for (const [index, key] of list.entries()) {
    if (typeof key !== "string" || !isKey(key)) {
      refuse(["keys", index], keyFault(key));
    } else if (!keys.includes(key)) keys.push(key);
  }
  return keys;
}

function isKey(key: string): boolean {
  const steps = key.split(".");
  return (
    key.length <= LONGEST_KEY &&
    steps.every((step) => step !== "" && step.trim() === step) &&
    steps.some((step) => !/^(?:\*|\d+)$/.test(step)) &&
    !/["\\\p{Cc}]/u.test(key)
  );
}

function keyFault(key: unknown): string {
  const allowed = `a name such as "password" or a path such as "user.email" or "messages.*.content", of at most ${LONGEST_KEY} characters and without quotes`;
  return mustBe(allowed, shownValue(key));
}

function readPatterns(value: unknown, refuse: Refuse): RedactionPattern[] {
  const list = readList(value, "patterns", 100, refuse);
  for (const [index, name] of list.entries()) {
    if (REDACTION_PATTERNS.some((known) => known === name)) continue;
    const known = `one of ${REDACTION_PATTERNS.join(", ")}`;
    refuse(["patterns", index], mustBe(known, shownValue(name)));
  }
  return REDACTION_PATTERNS.filter((name) => list.includes(name));
}

function readCustom(value: unknown, refuse: Refuse): CustomPattern[] {
  const list = readList(value, "custom", MOST_CUSTOM_PATTERNS, refuse);
  const custom: CustomPattern[] = [];
  let steps = 0;
  for (const [index, item] of list.entries()) {
    const path = ["custom", index];
    if (!isObject(item)) {
      refuse(path, mustBe("an object with name and regex", shownValue(item)));
      continue;
    }
    const { name, regex, ...others } = item;
    for (const field of Object.keys(others)) {
      refuse([...path, field], "There is no such field. The fields are name and regex.");
    }
    if (typeof name !== "string" || !CUSTOM_PATTERN_NAME.test(name)) {
      const allowed = "a name of small letters, digits, - and _, beginning with a letter";
      refuse([...path, "name"], mustBe(allowed, shownValue(name)));
    } else if (isTaken(name, custom)) {
      refuse([...path, "name"], `${shownValue(name)} is the name of another pattern.`);
    } else if (typeof regex !== "string" || regex === "") {
      refuse([...path, "regex"], mustBe("a regular expression", shownValue(regex)));
    } else {
      const checked = checkPattern(regex);
      if (checked.kind === "refused") refuse([...path, "regex"], checked.reason);
      else steps += checked.steps;
      custom.push({ name, regex });
    }
  }
  if (steps > MOST_STEPS) {
    const msg = `Together they may take ${steps} steps at each character, and ${MOST_STEPS} are allowed. Use smaller bounds, or fewer patterns.`;
    refuse(["custom"], msg);
  }
  return custom;
}

function isTaken(name: string, custom: readonly CustomPattern[]): boolean {
  return (
    REDACTION_PATTERNS.some((ready) => ready === name) ||
    custom.some((other) => other.name === name)
  );
}

function readList(value: unknown, field: string, most: number, refuse: Refuse): unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length <= most) return value;
  const given = Array.isArray(value) ? `a list of ${value.length}` : shownValue(value);
  refuse([field], mustBe(`a list of at most ${most}`, given));
  return [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
