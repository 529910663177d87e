import { describe, expect, it } from "vitest";
import { MAX_PARAMS_BYTES, MAX_PARAMS_DEPTH } from "../schema/check-params.ts";
import { runRequest, startRun } from "./run.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, done, problem, problems } from "./subject.fixture.ts";

export function describeScorers(subject: Subject): void {
  const commit = (configs: unknown, baseRevision: number) =>
    subject.registry.scorers.commit(subject.app, { ...BY_TESTS, configs, baseRevision });

  describe("configurations of scorers", () => {
    it("are revisions of one line, each as it was committed", async () => {
      await subject.freshApplication();
      const { scorers } = subject.registry;
      expect(problem(await scorers.get(subject.app, null))).toMatchObject({
        type: "revision_not_found",
        msg: "No configurations of scorers are committed.",
      });
      const hostile = JSON.parse('{"helpful":{"__proto__":{"a":1},"rubric":"\\u0000\\ud800"}}');
      const committed = done(
        await scorers.commit(subject.app, {
          by: "ann",
          message: "first\0",
          configs: hostile,
          baseRevision: 0,
        }),
      );
      expect(committed).toMatchObject({ revision: 1, message: "first", created_by: "ann" });
      done(await commit({ helpful: { rubric: "new" }, "on-time": {} }, 1));
      const first = done(await scorers.get(subject.app, 1));
      expect(first).toEqual(committed);
      expect(JSON.stringify(first.configs)).toBe(JSON.stringify(hostile));
      const { configs, ...listed } = done(await scorers.get(subject.app, null));
      expect(configs).toEqual({ helpful: { rubric: "new" }, "on-time": {} });
      const page = done(await scorers.list(subject.app, { limit: 1, before: null }));
      expect(page).toEqual({ items: [listed], next: 2 });
      const rest = done(await scorers.list(subject.app, { limit: 1, before: page.next }));
      expect(rest.items.map(({ revision }) => revision)).toEqual([1]);
    });

    it("take a commit on top of the latest revision only, one of many at once", async () => {
      await subject.freshApplication();
      done(await commit({}, 0));
      expect(problem(await commit({}, 0))).toEqual({
        type: "revision_stale",
        loc: ["body", "base_revision"],
        msg: "The scorers of support are at revision 1 by now: a newer revision exists. Look at what changed, and commit again with base_revision 1.",
      });
      expect(problem(await commit({}, 7)).msg).toContain("no revision 7, but 1 at most");
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => commit({}, 1)));
      expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    });

    it("have a shape, a depth and a size", async () => {
      await subject.freshApplication();
      expect(problem(await commit([], 0)).loc).toEqual(["body", "configs"]);
      expect(problems(await commit({ "Not A Slug": {}, helpful: 3 }, 0))).toMatchObject([
        { type: "params_invalid", loc: ["body", "configs", "Not A Slug"] },
        { type: "params_invalid", loc: ["body", "configs", "helpful"] },
      ]);
      const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
      expect(problem(await commit({ a: { b: deep(MAX_PARAMS_DEPTH - 1) } }, 0)).msg).toContain(
        "32",
      );
      done(await commit({ a: { b: deep(MAX_PARAMS_DEPTH - 2) } }, 0));
      const sized = (bytes: number) => ({ a: { b: "x".repeat(bytes - '{"a":{"b":""}}'.length) } });
      expect(problem(await commit(sized(MAX_PARAMS_BYTES + 1), 1)).msg).toContain("1,048,576");
      done(await commit(sized(MAX_PARAMS_BYTES), 1));
    });

    it("are what runs are pinned to", async () => {
      await subject.freshApplication();
      done(await commit({}, 0));
      const { run } = await startRun(subject, { scorers_revision: 1 });
      expect(run.scorers_revision).toBe(1);
      const { runs } = subject.registry;
      const missing = runRequest({ scorers_revision: 2 });
      expect(problem(await runs.create(subject.project, missing, "tests"))).toMatchObject({
        type: "revision_not_found",
        loc: ["body", "scorers_revision"],
      });
    });
  });
}
