import { createHash } from "node:crypto";
import type { LoggedContent } from "./logged-content.ts";
import { LOGGED_CONTENT, loggedText, MOST_LOGGED_CHARACTERS } from "./logged-content.ts";
import type { StoredScore } from "./score-store.ts";

export interface LoggedPlace {
  readonly project: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since 1970: what was logged earlier comes first. */
  readonly loggedAt: number;
  /** Microseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Logged content as a row beside the scores, which may come before their span, are read with it and go
 * with its trace. The same records again are the same row. Undefined where it is too long to be kept.
 */
export function toLoggedRow(content: LoggedContent, place: LoggedPlace): StoredScore | undefined {
  const record = loggedText(content);
  if (record.length > MOST_LOGGED_CHARACTERS) return undefined;
  const { project, traceId, spanId, loggedAt, receivedAt } = place;
  const id = createHash("sha256")
    .update(JSON.stringify([project, traceId, spanId, record]))
    .digest("hex")
    .slice(0, 32);
  return {
    id,
    traceId,
    spanId,
    name: LOGGED_CONTENT,
    value: null,
    label: null,
    status: "skipped",
    createdAt: loggedAt,
    receivedAt,
    record,
  };
}
