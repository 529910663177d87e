import type { PageRequest } from "../../../registry/registry.ts";
import { integerParameter } from "../../query/parameter-kinds.ts";
import type { QueryParameter } from "../../query/query-parameter.ts";

/** What is listed; a cursor of one list means nothing in another. */
export type PagedList = "revisions" | "deployments" | "builds";

/** Letters before the number, so that a later format can be told from this one. */
const PREFIX: Record<PagedList, string> = { revisions: "r1", deployments: "d1", builds: "b1" };

const DEFAULT_LIMIT = 50;

const LIMIT = integerParameter(
  { name: "limit", description: "How many to return at most." },
  { least: 1, most: 1000, default: DEFAULT_LIMIT },
);

/** A number as clients carry it from page to page: opaque, safe in a URL. */
export function encodePageCursor(list: PagedList, before: number): string {
  return Buffer.from(`${PREFIX[list]}.${before}`).toString("base64url");
}

function decodePageCursor(list: PagedList, cursor: string): number | undefined {
  const [prefix, digits = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  const before = Number(digits);
  // Base64 and numbers have several spellings; only ours is a cursor.
  const isOurs = prefix === PREFIX[list] && encodePageCursor(list, before) === cursor;
  return isOurs && Number.isSafeInteger(before) && before > 0 ? before : undefined;
}

/** `limit` and `cursor` of a list that comes in pages. */
export function pageParameters(list: PagedList) {
  const cursor: QueryParameter<number> = {
    name: "cursor",
    description: "The `next_cursor` of the page before.",
    schema: { type: "string" },
    parse: (text) => {
      const before = decodePageCursor(list, text);
      return before !== undefined
        ? { kind: "value", value: before }
        : {
            kind: "problem",
            type: "cursor_invalid",
            msg: `Takes a next_cursor of this list of ${list}.`,
          };
    },
  };
  return { limit: LIMIT, cursor };
}

export function pageRequest(query: { limit?: number; cursor?: number }): PageRequest {
  return { limit: query.limit ?? DEFAULT_LIMIT, before: query.cursor ?? null };
}
