import { HiddenKeys } from "./redaction/hidden-keys.ts";

/** The parts of a span that hold what a function saw. */
export type ContentField = "inputs" | "outputs" | "internals" | "config";

/** What a redact function is told about the value it is given. */
export interface RedactedContent {
  readonly field: ContentField;
  /** The name of the span. */
  readonly span: string;
}

/**
 * What not to record: keys (`"password"`, at any depth), paths from the top of the value
 * (`"user.email"`, `"messages.*.content"`), or a function that returns what may be recorded. A
 * function that throws, or returns a promise, hides the whole value.
 *
 * @example
 * ag.instrument({ redact: ["password", "user.email"] })(signUp);
 * ag.instrument({ redact: (value, { field }) => (field === "inputs" ? mask(value) : value) })(signUp);
 */
export type Redact = readonly string[] | ((value: unknown, about: RedactedContent) => unknown);

export { REDACTED } from "@agate/spans/redaction";

/** What is recorded when a redact function failed: never the raw value. */
export const REDACTION_FAILED = "[redaction failed]";

/** Several {@link Redact}s as one: functions first, in order, then all the paths. */
export interface Redaction {
  apply(value: unknown, about: RedactedContent): unknown;
  readonly hasFunctions: boolean;
  readonly hidden: HiddenKeys | undefined;
  /** False where nothing of a value is hidden, by the look of its JSON. */
  mayHide(json: string): boolean;
  /** True where nothing is hidden. */
  readonly isEmpty: boolean;
}

export function createRedaction(redacts: readonly (Redact | undefined)[]): Redaction {
  const functions = redacts.filter((redact) => typeof redact === "function");
  const paths = redacts.filter((redact) => Array.isArray(redact)).flat();
  const hidden = paths.length === 0 ? undefined : new HiddenKeys(paths);
  return {
    apply(value, about) {
      try {
        return functions.reduce((current, redact) => settled(redact(current, about)), value);
      } catch {
        return REDACTION_FAILED;
      }
    },
    hasFunctions: functions.length > 0,
    mayHide: (json) => functions.length > 0 || (hidden?.mayBeIn(json) ?? false),
    hidden,
    isEmpty: functions.length === 0 && paths.length === 0,
  };
}

function settled(value: unknown): unknown {
  // The span may end before the promise settles.
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  return REDACTION_FAILED;
}
