import { describe, expect, it } from "vitest";
import { family } from "./family.fixture.ts";
import { storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Figures over time. */
export function describeAnalytics(subject: Subject): void {
  describe("analytics", () => {
    it("count traces, failures, cost, tokens and latency by time", async () => {
      subject.fresh();
      const base = storedSpan().start;
      const call = (n: number, start: number, latency: number | null, cost: number | null) =>
        storedSpan({
          traceId: traceIdOf(n),
          start,
          latency,
          status: n === 2 ? "ERROR" : "OK",
          figures: cost === null ? null : { role: "own", usage: usageOf(10, n), cost },
        });
      await subject.append([
        call(1, 0, 100, 0.1),
        call(2, 1, 200, 0.2),
        call(3, 999, 300, null),
        call(4, 1000, null, null),
        call(5, 3000, 1, 1),
      ]);
      expect(
        await subject.store.analytics({
          project: subject.project,
          filter: {},
          from: base,
          to: base + 3000,
          interval: 1000,
        }),
      ).toEqual([
        {
          start: base,
          count: 3,
          errors: 1,
          cost: 0.3,
          inputTokens: 20,
          outputTokens: 3,
          totalTokens: 23,
          latency: { p50: 200, p95: 290, p99: 298 },
        },
        {
          start: base + 1000,
          count: 1,
          errors: 0,
          cost: null,
          inputTokens: 0,
          outputTokens: 0,
          totalTokens: 0,
          latency: null,
        },
      ]);
    });

    it("obey the filters, and count a trace that was sent again once", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      await subject.append(spans);
      await subject.append([storedSpan({ traceId: traceIdOf(2), status: "ERROR" })]);
      const base = storedSpan().start;
      const window = { project: subject.project, from: base, to: base + 1000, interval: 1000 };
      const [all] = await subject.store.analytics({ ...window, filter: {} });
      expect(all).toMatchObject({ count: 2, errors: 1, inputTokens: 30, cost: 0.3 });
      const [failed] = await subject.store.analytics({ ...window, filter: { status: "ERROR" } });
      expect(failed).toMatchObject({ count: 1, inputTokens: 0, cost: null });
    });
  });
}
