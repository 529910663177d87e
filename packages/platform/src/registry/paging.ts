/** A part of a list, newest first. */
export interface PageRequest {
  readonly limit: number;
  /** Only what has a smaller number than this; null begins with the newest. */
  readonly before: number | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** For `before` of the next page; null on the last. */
  readonly next: number | null;
}
