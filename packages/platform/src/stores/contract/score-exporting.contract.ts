import { describe, expect, it } from "vitest";
import type { ScorePart } from "../score-parts.ts";
import { SCORE_PART_LIMITS } from "../score-parts.ts";
import type { StoredScore } from "../score-store.ts";
import { storedScore } from "./stored-score.fixture.ts";
import { spanIdOf, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Counting all scores, and giving them back. */
export function describeScoreExporting(subject: Subject): void {
  const put = async (scores: readonly StoredScore[]) =>
    expect(await subject.store.putScores({ project: subject.project, scores })).toEqual({
      kind: "committed",
    });
  /** The parts of the subject's own project. */
  const exported = async (after: string | null = null): Promise<ScorePart[]> => {
    const parts: ScorePart[] = [];
    for await (const part of subject.store.exportScores(after)) {
      if (part.project === subject.project) parts.push(part);
    }
    return parts;
  };
  const scoresOf = (parts: readonly ScorePart[]) => parts.flatMap(({ scores }) => scores);
  /** Scores of several traces, in the order of an export. */
  const many = (count: number, explanation = "") =>
    Array.from({ length: count }, (_, n) =>
      storedScore({
        id: `score-${String(n).padStart(6, "0")}`,
        traceId: traceIdOf(1 + Math.floor(n / 900)),
        explanation,
      }),
    );

  describe("exporting scores", () => {
    it("gives each back as it was last put, in the order of traces, with its arrival", async () => {
      subject.fresh();
      const day = 86_400_000_000;
      const text = `"'\\ \u0000 \u2028 𝒳 ä %_ \u{1F600}`;
      const replaced = { id: "b", spanId: spanIdOf(2), createdAt: 7 };
      const scores = [
        storedScore({ id: "a", label: text, value: null, explanation: text }),
        storedScore({ ...replaced, value: 0.1, receivedAt: 5 * day }),
        storedScore({ id: "a2", traceId: traceIdOf(2), status: "failed", value: null }),
        storedScore({ id: "a3", traceId: traceIdOf(3), value: 1e-300, receivedAt: 3 }),
      ];
      await put([...scores.toReversed(), storedScore({ id: "gone", traceId: traceIdOf(4) })]);
      await put([storedScore({ ...replaced, value: 0.9, receivedAt: 9 * day })]);
      await put([scores[1] as StoredScore]);
      await subject.store.deleteTrace(subject.project, traceIdOf(4));
      expect(scoresOf(await exported())).toEqual(scores);
      expect((await subject.store.countScores()).get(subject.project)).toBe(4);
    });

    it("has parts of one project each, and counts each project apart", async () => {
      subject.fresh();
      const first = subject.project;
      await put(many(3));
      subject.fresh();
      const second = subject.project;
      await put(many(2));
      subject.fresh();
      const counts = await subject.store.countScores();
      expect([first, second, subject.project].map((id) => counts.get(id))).toEqual([
        3,
        2,
        undefined,
      ]);
      const sizes: Record<string, number> = {};
      for await (const { project, scores } of subject.store.exportScores(null)) {
        sizes[project] = (sizes[project] ?? 0) + scores.length;
      }
      expect([sizes[first], sizes[second]]).toEqual([3, 2]);
    });

    it("ends a part at a number of scores, and goes on behind it", async () => {
      subject.fresh();
      const { scores: most } = SCORE_PART_LIMITS;
      const scores = many(2 * most + 1);
      await put(scores.slice(0, most));
      expect((await exported()).map((part) => part.scores.length)).toEqual([most]);
      await put(scores.slice(most));
      // Put again: rows of a score that are not merged yet are not counted twice.
      await put(scores.slice(100, 100 + most));
      const parts = await exported();
      expect(parts.map((part) => part.scores.length)).toEqual([most, most, 1]);
      expect(scoresOf(parts)).toEqual(scores);
      expect(scoresOf(await exported(parts[0]?.position))).toEqual(scores.slice(most));
      expect(await exported(parts.at(-1)?.position)).toEqual([]);
    });

    it("ends a part at a number of bytes", async () => {
      subject.fresh();
      const half = "x".repeat(SCORE_PART_LIMITS.bytes / 2);
      const scores = many(5, half);
      for (const score of scores) await put([score]);
      const parts = await exported();
      expect(parts.map((part) => part.scores.length)).toEqual([2, 2, 1]);
      expect(scoresOf(parts)).toEqual(scores);
      // A little less than half each: the second one does not fill the part yet.
      subject.fresh();
      await put(many(3, half.slice(1_000)));
      expect((await exported()).map((part) => part.scores.length)).toEqual([3]);
    });
  });
}
