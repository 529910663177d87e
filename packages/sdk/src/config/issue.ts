/** Something wrong with a value: the error body's `detail` without the part of `loc` before it. */
export interface Issue {
  /** From the value that was checked to the part that is wrong. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** A stable name of the kind of mistake, as `docs/reference/errors.md` lists it. */
  readonly type: string;
}
