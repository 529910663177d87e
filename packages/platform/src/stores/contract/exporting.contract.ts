import type { StoredSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import type { SpanPart } from "../span-store.ts";
import { PART_LIMITS } from "../span-store.ts";
import { family } from "./family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Counting everything, and giving it back. */
export function describeExporting(subject: Subject): void {
  describe("exporting", () => {
    it("counts the traces and spans of each project that has any", async () => {
      subject.fresh();
      const empty = subject.project;
      await subject.append([storedSpan()]);
      await subject.store.deleteTrace(empty, traceIdOf(1));
      subject.fresh();
      await subject.append(family());
      await subject.append([
        storedSpan({ id: spanIdOf(2), name: "sent again" }),
        storedSpan({ id: spanIdOf(9) }),
        storedSpan({ traceId: traceIdOf(2) }),
      ]);
      const counts = await subject.store.countSpans();
      expect(counts.find(({ project }) => project === subject.project)).toEqual({
        project: subject.project,
        traces: 2,
        spans: 6,
      });
      const projects = counts.map(({ project }) => project);
      expect(projects).not.toContain(empty);
      expect(projects).toEqual(projects.toSorted());
    });

    it("gives each span back as it was last appended", async () => {
      subject.fresh();
      const text = `"'\\ \u0000 \u2028 𝒳 ä %_ \u{1F600}`;
      const whole = storedSpan({
        id: spanIdOf(2),
        parentId: spanIdOf(1),
        start: 7,
        startNanos: 999,
        figures: { role: "restated", usage: usageOf(3, 4), cost: 0.1 },
        name: text,
        kind: "LLM",
        status: "ERROR",
        latency: 0.001,
        application: text,
        route: "/ünï",
        variant: text,
        revision: 12,
        environment: text,
        userId: text,
        sessionId: text,
        run: text,
        inputs: { [text]: text },
      });
      const open = storedSpan({ id: spanIdOf(3), latency: null, outputs: "x".repeat(300_000) });
      const priced = storedSpan({
        id: spanIdOf(4),
        figures: { role: "own", usage: null, cost: 1e-9 },
      });
      const callOf = (n: number) =>
        n === 0
          ? { key: text, isCostSent: true }
          : { key: text, isCostSent: false, during: [1, 2] as const };
      const calls = [usageOf(5, 6), null].map((usage, n) =>
        storedSpan({
          id: spanIdOf(5 + n),
          figures: { role: "own", usage, cost: 0.5, call: callOf(n) },
        }),
      );
      const other = storedSpan({ traceId: traceIdOf(2) });
      await subject.append([storedSpan({ name: "replaced" }), open], 2_000_001);
      await subject.append([storedSpan({ traceId: traceIdOf(3) })], 2_000_002);
      await subject.append([other], 2_000_003);
      await subject.append([storedSpan(), priced, whole, ...calls], 2_000_004);
      await subject.store.deleteTrace(subject.project, traceIdOf(3));
      const parts = await exported(subject);
      expect(parts.map(({ receivedAt }) => receivedAt)).toEqual([2_000_003, 2_000_004]);
      expect(spansOf(parts.slice(0, 1))).toEqual([other]);
      expect(spansOf(parts.slice(1))).toEqual([storedSpan(), whole, open, priced, ...calls]);
    });

    it("goes on behind a position, with what has grown since", async () => {
      subject.fresh();
      const spans = [1, 2, 3].map((n) => storedSpan({ traceId: traceIdOf(n) }));
      for (const [n, span] of spans.entries()) await subject.append([span], 3_000_000 + n);
      const parts = await exported(subject);
      expect(parts.map((part) => spansOf([part]))).toEqual(spans.map((span) => [span]));
      const [first, second, third] = parts.map(({ position }) => position);
      expect(spansOf(await exported(subject, first))).toEqual(spans.slice(1));
      expect(spansOf(await exported(subject, third))).toEqual([]);

      const later = storedSpan({ traceId: traceIdOf(1), id: spanIdOf(2) });
      await subject.append([later], 3_000_009);
      expect((await exported(subject, second)).map((part) => spansOf([part]))).toEqual([
        spans.slice(2),
        [spans[0], later],
      ]);
    });

    it("gives a large trace in several parts, and goes on inside of it", async () => {
      subject.fresh();
      // More than the largest part may hold, in batches that no part ends with.
      const perBatch = (PART_LIMITS.spans * 3) / 4;
      const count = 3 * perBatch;
      const sketch = (n: number) => ({
        id: spanIdOf(n),
        parentId: n === 0 ? null : spanIdOf(0),
        start: n,
      });
      const spans = Array.from({ length: count }, (_, n) => storedSpan(sketch(n)));
      for (let at = 0; at < count; at += perBatch) {
        await subject.append(spans.slice(at, at + perBatch));
      }
      const again = Array.from({ length: count / 3 }, (_, n) =>
        storedSpan({ ...sketch(3 * n), name: "again" }),
      );
      await subject.append(again);
      const parts = await exported(subject);
      expect(Math.max(...parts.map((part) => part.spans.length))).toBeLessThanOrEqual(
        2 * PART_LIMITS.spans,
      );
      expect(parts.flatMap((part) => part.spans)).toHaveLength(count);
      expect(spansOf(parts)).toEqual(
        spans.map((span, n) => again[n % 3 === 0 ? n / 3 : -1] ?? span),
      );
      const rest = await exported(subject, parts[0]?.position);
      expect(spansOf(rest)).toEqual(spansOf(parts.slice(1)));
    });

    it("does not fill memory with large records", async () => {
      subject.fresh();
      const outputs = "y".repeat(PART_LIMITS.bytes / 2);
      const spans = Array.from({ length: 5 }, (_, n) => storedSpan({ id: spanIdOf(n), outputs }));
      for (const span of spans) await subject.append([span]);
      const parts = await exported(subject);
      const bytes = parts.map((part) =>
        part.spans.reduce((sum, span) => sum + span.openRecord.length, 0),
      );
      expect(Math.max(...bytes)).toBeLessThanOrEqual(2 * PART_LIMITS.bytes);
      expect(spansOf(parts)).toEqual(spans);
    });
  });
}

/** The parts of the subject's own project. */
async function exported(subject: Subject, after: string | null = null): Promise<SpanPart[]> {
  const parts: SpanPart[] = [];
  for await (const part of subject.store.exportSpans(after)) {
    if (part.project === subject.project) parts.push(part);
  }
  return parts;
}

/** Ordered by id: inside of a part any order will do. */
function spansOf(parts: readonly SpanPart[]): StoredSpan[] {
  return parts
    .flatMap((part) => part.spans)
    .sort((a, b) => (`${a.traceId}${a.id}` < `${b.traceId}${b.id}` ? -1 : 1));
}
