import type { CustomPattern, RedactionRules } from "@agate/protocol";

/** Redaction rules as they are edited: keys and custom patterns as lines of text. */
export interface RedactionDraft {
  readonly patterns: RedactionRules["patterns"];
  readonly keys: string;
  readonly custom: string;
}

export function draftOf({ patterns, keys, custom }: RedactionRules): RedactionDraft {
  return {
    patterns,
    keys: keys.join("\n"),
    custom: custom.map(({ name, regex }) => `${name}: ${regex}`).join("\n"),
  };
}

/** The rules of a draft. The platform validates them. */
export function rulesOf({ patterns, keys, custom }: RedactionDraft): RedactionRules {
  return { patterns, keys: linesOf(keys), custom: linesOf(custom).map(customOf) };
}

/** `staff: EMP-\d{6}`. The expression may contain colons. */
function customOf(line: string): CustomPattern {
  const colon = line.indexOf(":");
  return colon < 0
    ? { name: line, regex: "" }
    : { name: line.slice(0, colon).trim(), regex: line.slice(colon + 1).trim() };
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
