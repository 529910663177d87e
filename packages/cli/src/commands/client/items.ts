/** A list that comes whole. */
export interface Items<Item> {
  readonly items: readonly Item[];
}

/** A list that comes in pages, newest first. */
export interface Page<Item> extends Items<Item> {
  readonly next_cursor: string | number | null;
}
