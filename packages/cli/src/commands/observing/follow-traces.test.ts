import { expect, it } from "vitest";
import { ShownTraces } from "./follow-traces.ts";
import { spanRecord } from "./span-record.fixture.ts";

it("a trace is news when it arrives and when it has grown, and not when it comes again", () => {
  const shown = new ShownTraces();
  const half = spanRecord({ metadata: { latency: null } });
  const whole = spanRecord({ metadata: { latency: 12 } });
  const other = spanRecord({ trace_id: "f".repeat(32) });
  expect([half, half, other, whole, whole, other].map((span) => shown.isNews(span))).toEqual([
    true,
    false,
    true,
    true,
    false,
    false,
  ]);
});
