import type { AppenderHandle } from "./appender-handle.ts";
import type { SpanAppender } from "./span-store.ts";
import { createSqliteAppender } from "./sqlite/sqlite-appender.ts";

/** Opens the write side of a store in the calling thread. */
export function openAppender(handle: AppenderHandle): SpanAppender {
  return createSqliteAppender(handle.port);
}
