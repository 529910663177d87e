/** Ready patterns, in the order in which they are applied. */
export const REDACTION_PATTERNS = ["token", "email", "iban", "phone", "card"] as const;

export type RedactionPattern = (typeof REDACTION_PATTERNS)[number];

/** What a project's spans and logs are stored without. Applied before anything is written. */
export interface RedactionRules {
  /**
   * Names whose values are replaced by `[redacted]`: a name at any depth (`"password"`), or a path
   * from the top of a value (`"user.email"`, `"messages.*.content"`).
   */
  readonly keys: readonly string[];
  /** Ready patterns. What they find is replaced by `[redacted:card]` and so on. */
  readonly patterns: readonly RedactionPattern[];
  /** The project's own patterns. */
  readonly custom: readonly CustomPattern[];
}

export interface CustomPattern {
  /** What it finds is replaced by `[redacted:NAME]`. */
  readonly name: string;
  /** A regular expression without backtracking that could take long. */
  readonly regex: string;
}

export const NO_REDACTION: RedactionRules = { keys: [], patterns: [], custom: [] };

/** Whether the rules replace nothing. */
export function isEmptyRedaction({ keys, patterns, custom }: RedactionRules): boolean {
  return keys.length === 0 && patterns.length === 0 && custom.length === 0;
}
