import type { RedactionPattern, RedactionRules } from "@agate/protocol";
import { checkPattern } from "./custom-pattern.ts";
import { READY_PATTERNS } from "./ready-patterns.ts";

/** By what a text, or bytes, can be told to hold nothing that rules hide, without looking closer. */
export interface RedactionSigns {
  /** Of which there is one wherever a pattern could find something. */
  readonly texts: readonly string[];
  /** Of which there is one wherever a key could hide something: as an attribute's name or in JSON. */
  readonly names: readonly string[];
  /** Those of the patterns whose sign is a run of digits. */
  readonly digits: readonly RedactionPattern[];
  /** Whether anything may be hidden: by a project's own pattern without a fixed beginning. */
  readonly anything: boolean;
}

export function signsOf({ keys, patterns, custom }: RedactionRules): RedactionSigns {
  const names = keys.map(lastName);
  // JSON may write what is not plain in a name as an escape.
  const texts = new Set(names.every((name) => /^[\w $-]+$/.test(name)) ? [] : ["\\"]);
  const digits: RedactionPattern[] = [];
  for (const name of patterns) {
    const signs = READY_PATTERNS[name]?.signs ?? [];
    if (signs === "digits") digits.push(name);
    else for (const sign of signs) texts.add(sign);
  }
  let anything = false;
  for (const { regex } of custom) {
    const checked = checkPattern(regex);
    if (checked.kind === "refused") continue;
    if (checked.sign === null) anything = true;
    else texts.add(checked.sign);
  }
  return { texts: [...texts], names: [...new Set(names)], digits, anything };
}

/** Eight digits with at most two other characters between them. */
export const DIGITS = /\d(?:\D{0,2}\d){7}/;

/** An expression that finds a sign in a text, or an escape that may stand for one. */
export function signExpression({ texts, names, digits, anything }: RedactionSigns): RegExp {
  if (anything) return /(?:)/;
  const parts = [
    "\\\\u00[2-7]",
    ...[...texts, ...names].map((text) => text.replaceAll(/[^\w\s]/g, "\\$&")),
    ...(digits.length > 0 ? [DIGITS.source] : []),
  ];
  return new RegExp(parts.join("|"));
}

/** The last step of a key that is a name, not any step or the index of a list. */
function lastName(key: string): string {
  return key.split(".").findLast((step) => !/^(?:\*|\d+)$/.test(step)) ?? key;
}
