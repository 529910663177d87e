import type { SpanRecord } from "@agate/protocol";
import type { Interval } from "../../terminal/duration-bar.ts";

/** From start to end in microseconds; a span that never ended takes no time. */
export function spanInterval({ created_at, metadata }: SpanRecord): Interval {
  const start = toMicroseconds(created_at);
  return { start, end: start + (metadata.latency ?? 0) * 1000 };
}

/** `Date` stops at milliseconds, and many a span is shorter. */
function toMicroseconds(time: string): number {
  const micros = /\.\d{3}(\d{3})/.exec(time)?.[1] ?? "0";
  return Date.parse(time) * 1000 + Number(micros);
}

/** What went wrong: the status says it, else the exception that was recorded. */
export function errorMessage({ metadata }: SpanRecord): string | null {
  if (metadata.status_message) return metadata.status_message;
  for (const { name, attributes } of metadata.events) {
    const message = attributes["exception.message"];
    if (name === "exception" && typeof message === "string" && message !== "") return message;
  }
  return null;
}
