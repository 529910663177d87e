import type { Session } from "./session.ts";
import type { ListedSpan } from "./span-record.ts";

/** The id of the element of the page's document that holds {@link FirstAnswers} as JSON. */
export const FIRST_ANSWERS_ID = "first-answers";

/** The id of the template with the links to the page's scripts, which are followed once the first rows are shown. */
export const LATE_PARTS_ID = "late-parts";

/** What the page would ask for first. It is in the document, so that no request has to wait for a script. */
export interface FirstAnswers {
  /** As `GET /session` answers. */
  readonly session: Session;
  /** The newest traces, as `GET /observability/traces/` lists them; null where the document shows something else. */
  readonly traces: ListedPage | null;
}

/** A page of a list. */
export interface ListedPage {
  readonly items: readonly ListedSpan[];
  readonly next_cursor: string | null;
}

/**
 * Writes the newest traces as HTML for the document; nothing where there are none.
 *
 * @param opened `search` is the query of the document's address, with its question mark; `now` the server's time.
 */
export type WriteFirstRows = (
  items: readonly ListedSpan[],
  opened: { readonly search: string; readonly now: number },
) => string;

/** How many traces the document has: a large screen shows as many, and more would arrive later. */
export const FIRST_TRACES = 24;
