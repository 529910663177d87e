import type { ListContent } from "@agate/protocol";
import { DamagedSegmentError } from "./segments/segment.ts";
import type { ListPage, ListPosition } from "./span-query.ts";
import { MOST_PAGE_BYTES } from "./span-query.ts";
import type { StoreTrouble } from "./store-errors.ts";

/**
 * Collects the items of a page until it holds its limit of bytes. The first item always fits, however
 * large: a list that could not show it would never get past it.
 */
export class ListPageBuilder {
  readonly #maxBytes: number;
  readonly #items: string[] = [];
  readonly #damaged = new Set<string>();
  #bytes = 0;
  #last: ListPosition | null = null;

  constructor(maxBytes: number = MOST_PAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Whether an item of this many bytes can be added. */
  fits(bytes: number): boolean {
    return this.#items.length === 0 || this.#bytes + bytes <= this.#maxBytes;
  }

  /**
   * Adds an item that has room.
   *
   * @param bytes The item's length in UTF-8.
   * @returns Whether it has room.
   */
  addIfFits(position: ListPosition, item: string, bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.#items.push(item);
    this.#bytes += bytes;
    this.#last = position;
    return true;
  }

  /** Passes a row that was deleted after the list was read. */
  skip(position: ListPosition): void {
    this.#last = position;
  }

  /** Leaves out a row whose record is damaged. */
  skipDamaged(position: ListPosition): void {
    this.#damaged.add(position.traceId);
    this.#last = position;
  }

  /** @param hasMore Whether rows are left behind the last one added or skipped. */
  finish(hasMore: boolean): ListPage {
    return {
      items: this.#items,
      next: hasMore ? this.#last : null,
      ...(this.#damaged.size > 0 && { damaged: [...this.#damaged] }),
    };
  }
}

/**
 * What an item counts for in a page. The length of a whole record is known before it is read; that of a
 * preview is its own.
 */
export function listedBytes(
  content: ListContent | undefined,
  item: string,
  wholeBytes: number,
): number {
  return content === "preview" ? Buffer.byteLength(item) : wholeBytes;
}

/** Logs the damaged traces that a list leaves out. */
export function reportDamaged(
  page: ListPage,
  onTrouble: (trouble: StoreTrouble) => void,
): ListPage {
  for (const traceId of page.damaged ?? []) {
    onTrouble({
      what: "A damaged trace was left out of a list.",
      error: new DamagedSegmentError(traceId),
    });
  }
  return page;
}
