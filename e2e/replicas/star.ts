import { randomBytes } from "node:crypto";
import type { SentSpan } from "../sent-span.ts";

const START = Date.UTC(2026, 0, 1) * 1000;

/** A trace of one top with `count` spans below it. */
export function star(count: number): SentSpan[] {
  const traceId = randomBytes(16).toString("hex");
  const ids = Array.from({ length: count + 1 }, () => randomBytes(8).toString("hex"));
  return ids.map((spanId, n) => ({
    traceId,
    spanId,
    parentSpanId: n === 0 ? null : ids[0]!,
    name: `span ${n}`,
    start: START + n,
    inputs: `agate ${n}`,
  }));
}
