/** Something that a store could not do by itself. It goes on, and nothing is lost. */
export interface StoreTrouble {
  /** One sentence. */
  readonly what: string;
  readonly error: unknown;
}
