import type { RunResult } from "@agate/protocol";
import { MOST_OUTPUT_BYTES } from "@agate/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "../paging.ts";
import type { ResultToAdd, RunRef } from "../runs/run-registry.ts";
import { caseIds, column, result, startRun } from "./run.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, problems } from "./subject.fixture.ts";

const ANY = { column: null, case: null };

export function describeRunResults(subject: Subject): void {
  describe("results of runs", () => {
    beforeEach(() => subject.freshApplication());
    const runs = () => subject.registry.runs;
    const add = async (ref: RunRef, ...results: ResultToAdd[]) => {
      const { kept: _, ...added } = done(await runs().addResults(ref, results));
      return added;
    };

    it("keeps the first of an item and says which were ignored", async () => {
      const { ref } = await startRun(subject, { trials: 2 }, ["a", "b"]);
      const [a, b] = [
        { column: "candidate", case: "a", trial: 0 },
        { column: "candidate", case: "a", trial: 1 },
      ];
      const first = result(a, 0.5, { trace_id: "t1" });
      expect(await add(ref, first, result(a, 1))).toEqual({ added: 1, ignored: [a] });
      const kept = done(await runs().addResults(ref, [result(a, 0), result(b, 1)])).kept;
      expect(
        kept.map(({ trial, trace_id, scores }) => [trial, trace_id, scores[0]?.value]),
      ).toEqual(
        expect.arrayContaining([
          [0, "t1", 0.5],
          [1, null, 1],
        ]),
      );
      const { items } = done(await runs().results(ref, ANY, { limit: 9, after: null }));
      expect(items).toMatchObject([
        { ...first, is_output_cut: false },
        { ...result(b, 1), is_output_cut: false },
      ]);
      expect(done(await runs().get(ref))).toMatchObject({
        results: 2,
        errors: 0,
        costs: { calls: 1, unknown_calls: 0, judges: 0.5, unknown_judges: 0 },
      });
    });

    it("adds a failed call without an output, and counts what has no cost", async () => {
      const { ref } = await startRun(subject, {}, ["a"]);
      const item = { column: "baseline", case: "a" };
      const failed = { status: "error", error: "no\u0000 \ud800", cost: null } as const;
      await add(ref, result(item, "failed", { ...failed, judge_cost: null, scores: [] }));
      const { items } = done(await runs().results(ref, ANY, { limit: 9, after: null }));
      expect(items).toMatchObject([{ output: null, error: "no \ufffd", cost: null, scores: [] }]);
      expect(done(await runs().get(ref))).toMatchObject({
        errors: 1,
        costs: { calls: 0, unknown_calls: 1, judges: 0, unknown_judges: 1 },
      });
    });

    it("names everything that does not fit, and adds nothing then", async () => {
      const { ref } = await startRun(subject, { trials: 2 }, ["a"]);
      const item = { column: "candidate", case: "a" };
      const unknownScore = result(item).scores.map((score) => ({ ...score, name: "other" }));
      const wrong = [
        result(item),
        result({ ...item, column: "other" }),
        result({ ...item, case: "b\u0000" }),
        result({ ...item, trial: 2 }),
        result(item, 1, { scores: unknownScore }),
        result(item, 1, { scores: [...result(item).scores, ...result(item).scores] }),
      ];
      expect(problems(await runs().addResults(ref, wrong)).map(({ loc }) => loc.slice(2))).toEqual([
        [1, "column"],
        [2, "case"],
        [3, "trial"],
        [4, "scores", 0, "name"],
        [5, "scores", 1, "name"],
      ]);
      expect(done(await runs().get(ref)).results).toBe(0);
    });

    it("cuts an output that is too large, between characters", async () => {
      const { ref } = await startRun(subject, {}, ["a", "b", "c"]);
      const item = (id: string) => ({ column: "candidate", case: id });
      const fitting = "x".repeat(MOST_OUTPUT_BYTES - 2);
      const wide = `x${"😀".repeat(MOST_OUTPUT_BYTES / 4)}`;
      await add(ref, result(item("a"), 1, { output: fitting }));
      await add(ref, result(item("b"), 1, { output: `${fitting}x` }));
      await add(ref, result(item("c"), 1, { output: wide }));
      const { items } = done(await runs().results(ref, ANY, { limit: 9, after: null }));
      expect(items[0]).toMatchObject({ output: fitting, is_output_cut: false });
      expect(items[1]).toMatchObject({ output: `"${fitting}x`, is_output_cut: true });
      // Two bytes before the first of them: the last one does not fit.
      expect(items[2]).toMatchObject({
        output: `"x${"😀".repeat(MOST_OUTPUT_BYTES / 4 - 1)}`,
        is_output_cut: true,
      });
    });

    it("lists them in pages by column and case", async () => {
      const ids = ["a", "b", "c"];
      const { ref } = await startRun(subject, { trials: 2 }, ids);
      const all = ids.flatMap((id) =>
        ["candidate", "baseline"].flatMap((name) =>
          [0, 1].map((trial) => ({ column: name, case: id, trial })),
        ),
      );
      await add(ref, ...all.toReversed().map((item) => result(item)));
      for (const filter of [ANY, { ...ANY, column: "baseline" }, { ...ANY, case: "b" }]) {
        for (const limit of [1, 2, 5, 12]) {
          const seen: unknown[] = [];
          let after: number | null = null;
          do {
            const page: Page<RunResult> = done(await runs().results(ref, filter, { limit, after }));
            seen.push(
              ...page.items.map(({ column, case: id, trial }) => ({ column, case: id, trial })),
            );
            after = page.next;
          } while (after !== null);
          expect(seen).toEqual(
            all.filter(
              (item) =>
                (filter.column ?? item.column) === item.column &&
                (filter.case ?? item.case) === item.case,
            ),
          );
        }
      }
      const unknown = { column: "other", case: "\u0000" };
      expect(done(await runs().results(ref, unknown, { limit: 9, after: null })).items).toEqual([]);
    });

    it("shortens a page of large outputs", async () => {
      const ids = caseIds(40);
      const { ref } = await startRun(subject, { columns: [column("candidate")] }, ids);
      const output = "x".repeat(MOST_OUTPUT_BYTES - 2);
      for (const id of ids)
        await add(ref, result({ column: "candidate", case: id }, 1, { output }));
      const seen: string[] = [];
      const sizes: number[] = [];
      let after: number | null = null;
      do {
        const page: Page<RunResult> = done(await runs().results(ref, ANY, { limit: 100, after }));
        seen.push(...page.items.map((item) => item.case));
        sizes.push(page.items.length);
        after = page.next;
      } while (after !== null);
      expect(seen).toEqual(ids);
      expect(sizes).toEqual([31, 9]);
    });
  });
}
