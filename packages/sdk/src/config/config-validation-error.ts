/** Something wrong with a value: the error body's `detail` without the part of `loc` before it. */
export interface Issue {
  /** From the value that was checked to the part that is wrong. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** A stable name of the kind of mistake, as `docs/reference/errors.md` lists it. */
  readonly type: string;
}

const MARKER = Symbol.for("agate.sdk.config-validation-error");

/**
 * Values that a configuration schema does not accept; all of them at once.
 *
 * @example
 * try {
 *   new SummarizeConfig({ temperature: 3 });
 * } catch (error) {
 *   if (ag.ConfigValidationError.isInstance(error)) console.log(error.issues);
 * }
 */
export class ConfigValidationError extends Error {
  override readonly name = "ConfigValidationError";
  get [MARKER](): true {
    return true;
  }
  readonly issues: readonly Issue[];

  constructor(schemaName: string, issues: readonly Issue[]) {
    super(
      issues
        .map(({ path, message }) => `${[schemaName, ...path].join(".")}: ${message}`)
        .join("\n"),
    );
    this.issues = issues;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ConfigValidationError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
