import { MOST_CASE_BYTES, MOST_RUN_CASES, MOST_RUN_ITEMS } from "@agate/protocol";
import { judgeRun, type ScoreOutcome } from "@agate/protocol/statistics";
import { beforeEach, describe, expect, it } from "vitest";
import { KEPT_BUILDS } from "../builds.ts";
import type { ResultToAdd, RunRef, RunRequest } from "../runs/run-registry.ts";
import { RESULTS_PER_READ } from "../runs/tally-run.ts";
import { caseIds, column, newCases, result, runRequest, startRun } from "./run.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, keysOf, problem, problems } from "./subject.fixture.ts";

export function describeRuns(subject: Subject): void {
  describe("runs", () => {
    beforeEach(() => subject.freshApplication());
    const runs = () => subject.registry.runs;
    const create = (request: Partial<RunRequest>) =>
      runs().create(subject.project, runRequest(request), "tests");
    const add = async (ref: RunRef, ...results: ResultToAdd[]) => {
      const { kept: _, ...added } = done(await runs().addResults(ref, results));
      return added;
    };

    describe("creating", () => {
      it("answers the same request with the same run, and refuses another one", async () => {
        const gate = { errors: { share: 0 }, scores: { right: { min: 0.5 } } };
        const created = done(await create({ id: "ci-1", gate }));
        expect(created).toMatchObject({
          id: "ci-1",
          application: "support",
          status: "running",
          started_by: "tests",
          items: 0,
          verdict: null,
        });
        const sorted = { scores: { right: { min: 0.5 } }, errors: { share: 0 } };
        expect(done(await create({ id: "ci-1", gate: sorted }))).toEqual(created);
        const other = problem(await create({ id: "ci-1", gate, trials: 2 }));
        expect(other).toMatchObject({ type: "run_conflict", loc: ["body", "id"] });
        expect(done(await runs().get({ project: subject.project, run: "ci-1" }))).toEqual(created);
      });

      it("makes an id, and an application that is missing", async () => {
        const first = done(await create({ application: "elsewhere", seed: null }));
        const second = done(await create({ application: "elsewhere", seed: null }));
        expect(first.id).toMatch(/^run_[a-z2-7]{20}$/);
        expect(second.id).not.toBe(first.id);
        const application = { project: subject.project, application: "elsewhere" };
        done(await subject.registry.applications.get(application));
      });

      it("keeps the runs of projects apart", async () => {
        const { run } = await startRun(subject, { id: "ci-1" });
        await subject.freshApplication();
        const ref = { project: subject.project, run: run.id };
        expect(problem(await runs().get(ref)).type).toBe("run_not_found");
        expect(done(await create({ id: "ci-1", trials: 2 })).trials).toBe(2);
      });

      it.each<[string, Partial<RunRequest>, (string | number)[]]>([
        ["a gate on no scorer", { gate: { scores: { wrong: {} } } }, ["gate", "scores", "wrong"]],
        ["two columns of a name", { columns: [column("a"), column("a")] }, ["columns", 1, "name"]],
        ["a baseline first", { columns: [column("baseline")] }, ["columns", 0, "name"]],
        ["a column that is no slug", { columns: [column("A b")] }, ["columns", 0, "name"]],
        ["an evaluation that is no slug", { evaluation: "A b" }, ["evaluation"]],
        ["a missing build", { columns: [column("a", "9")] }, ["columns", 0, "build"]],
        [
          "a test set without revision",
          { testset: { kind: "testset", name: "golden", revision: null, hash: null } },
          ["testset", "revision"],
        ],
        [
          "a file without name",
          { testset: { kind: "file", name: null, revision: null, hash: null } },
          ["testset", "name"],
        ],
      ])("refuses %s", async (_, request, loc) => {
        expect(problem(await create(request)).loc).toEqual(["body", ...loc]);
      });
    });

    describe("cases", () => {
      it("keeps the first of an id, in the order that they come in", async () => {
        const { ref } = await startRun(subject, {}, ["b", "a"]);
        const again = [{ id: "a", inputs: 2 }, ...newCases(["c", "c"])];
        expect(done(await runs().addCases(ref, again))).toEqual({ added: 1, ignored: ["a", "c"] });
        const { items } = done(await runs().cases(ref, ALL, { limit: 9, after: null }));
        expect(items.map(({ id }) => id)).toEqual(["b", "a", "c"]);
        expect(items[1]).toMatchObject({ inputs: { text: "a" }, metadata: {} });
        expect(items[1]).not.toHaveProperty("expected");
        expect(done(await runs().get(ref))).toMatchObject({ cases: 3, items: 6 });
      });

      it("keeps what is expected, null included", async () => {
        const { ref } = await startRun(subject, {});
        const expected = { id: "x\u{1F600}", inputs: "\u0000 \ud800", expected: null };
        done(await runs().addCases(ref, [{ ...expected, metadata: { a: 1 } }]));
        const { items } = done(await runs().cases(ref, ALL, { limit: 9, after: null }));
        expect(items).toMatchObject([{ ...expected, metadata: { a: 1 } }]);
      });

      it("refuses ids and contents beyond their limits", async () => {
        const { ref } = await startRun(subject, {});
        const frame = JSON.stringify({ inputs: "", metadata: {} }).length;
        const sized = (id: string, bytes: number) => ({ id, inputs: "x".repeat(bytes - frame) });
        const fitting = [sized("i".repeat(200), MOST_CASE_BYTES)];
        expect(done(await runs().addCases(ref, fitting)).added).toBe(1);
        const faulty = [
          sized("a", MOST_CASE_BYTES + 1),
          sized("i".repeat(201), 100),
          sized("\n", 100),
        ];
        const found = problems(await runs().addCases(ref, faulty));
        expect(found.map(({ loc }) => loc)).toEqual([
          ["body", "cases", 0],
          ["body", "cases", 1, "id"],
          ["body", "cases", 2, "id"],
        ]);
      });

      it("bounds cases and items", async () => {
        // Not by adding them one by one.
        const { ref } = await startRun(subject, { trials: 3 });
        const { ref: large } = await startRun(subject, { trials: 100 });
        const set = (run: RunRef, cases: number) =>
          subject.db
            .updateTable("runs")
            .set({ cases })
            .where("id", "=", run.run)
            .where("project_id", "=", subject.project)
            .execute();
        await set(ref, MOST_RUN_CASES - 1);
        await set(large, MOST_RUN_ITEMS / 200 - 1);
        for (const run of [ref, large]) {
          expect(problem(await runs().addCases(run, newCases(["a", "b"]))).type).toBe(
            "run_invalid",
          );
          expect(done(await runs().addCases(run, newCases(["a"]))).added).toBe(1);
          expect(problem(await runs().addCases(run, newCases(["b"]))).type).toBe("run_invalid");
        }
      });
    });

    describe("ending", () => {
      it("judges a run as judgeRun does, over more results than are read at a time", async () => {
        const ids = caseIds(RESULTS_PER_READ / 2 + 10);
        const gate = {
          scores: { right: { min: 0.4, notWorseBy: 0.5 } },
          cost: { mean: 1 },
          latency: { p95: 20 },
          errors: { share: 0.5 },
        };
        const { ref } = await startRun(subject, { gate }, ids);
        // Some lack, some failed, some do not apply: a value for each case and column.
        const outcomeOf = (n: number, name: string): ScoreOutcome =>
          n % 50 === 0 ? "skipped" : n % 7 === 0 ? "failed" : ((n * (name.length + 3)) % 11) / 10;
        const isCalled = (n: number, name: string) => (n + name.length) % 13 !== 0;
        for (let first = 0; first < ids.length; first += 250) {
          const batch = ids
            .slice(first, first + 250)
            .flatMap((id, at) =>
              ["candidate", "baseline"]
                .filter((name) => isCalled(first + at, name))
                .map((name) => result({ column: name, case: id }, outcomeOf(first + at, name))),
            );
          await add(ref, ...batch);
        }
        const outcome = (n: number, name: string) =>
          isCalled(n, name) ? outcomeOf(n, name) : "failed";
        const called = ids.filter((_, n) => isCalled(n, "candidate")).length;
        const figures = (value: number) =>
          ids.map((_, n) => (isCalled(n, "candidate") ? value : undefined));
        const expected = judgeRun(gate, {
          scores: {
            right: ids.map((_, n) => ({
              candidate: [outcome(n, "candidate")],
              baseline: [outcome(n, "baseline")],
            })),
          },
          calls: {
            latencies: figures(10),
            costs: figures(0.5),
            errors: 0,
            calls: called,
            missing: ids.length - called,
          },
        });
        const running = done(await runs().report(ref)).figures;
        const ended = done(await runs().end(ref, { status: "finished" }));
        expect(ended.verdict).toEqual(JSON.parse(JSON.stringify(expected)));
        expect(ended).toMatchObject({ status: "finished", reason: null });
        expect(done(await runs().report(ref))).toEqual({ ...ended, figures: running });
        expect(running.columns[0]).toMatchObject({ results: called, missing: ids.length - called });
        // The same answer again, and nothing after it.
        expect(done(await runs().end(ref, { status: "finished" }))).toEqual(ended);
        const late = result({ column: "candidate", case: "case 0" });
        expect(problem(await runs().addResults(ref, [late])).type).toBe("run_ended");
        expect(problem(await runs().addCases(ref, newCases(["new"]))).type).toBe("run_ended");
        const stop = await runs().end(ref, { status: "stopped", reason: null });
        expect(problem(stop).type).toBe("run_ended");
      });

      it("counts what comes in while it is judged", async () => {
        const ids = caseIds(20);
        const { ref } = await startRun(subject, { columns: [column("candidate")] }, ids);
        const adding = ids.map((id) =>
          runs().addResults(ref, [result({ column: "candidate", case: id })]),
        );
        const [ended, ...outcomes] = await Promise.all([
          runs().end(ref, { status: "finished" }),
          ...adding,
        ]);
        const added = outcomes.filter(({ kind }) => kind === "done").length;
        expect(done(ended).results).toBe(added);
        const { figures, results } = done(await runs().report(ref));
        expect([figures.columns[0]?.results, results]).toEqual([added, added]);
      });

      it("fails a run without cases", async () => {
        const { ref } = await startRun(subject, {});
        const failed = { status: "failed", reason: "The run has no cases.", verdict: null };
        expect(done(await runs().end(ref, { status: "finished" }))).toMatchObject(failed);
        expect(done(await runs().end(ref, { status: "finished" }))).toMatchObject(failed);
      });

      it("stops a run with its figures and without a verdict", async () => {
        const { ref } = await startRun(subject, {}, ["a"]);
        await add(ref, result({ column: "candidate", case: "a" }));
        const stopped = done(await runs().end(ref, { status: "stopped", reason: "too dear" }));
        expect(stopped).toMatchObject({ status: "stopped", reason: "too dear", verdict: null });
        const again = await runs().end(ref, { status: "stopped", reason: "other" });
        expect(done(again)).toEqual(stopped);
        expect(problem(await runs().end(ref, { status: "finished" })).type).toBe("run_ended");
      });
    });

    it("lists runs in pages by application, evaluation and status", async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const evaluation = n % 2 === 0 ? "even" : "odd";
        const application = n === 4 ? "other" : "support";
        ids.unshift((await startRun(subject, { id: `r${n}`, evaluation, application })).run.id);
      }
      done(
        await runs().end(
          { project: subject.project, run: "r1" },
          { status: "stopped", reason: null },
        ),
      );
      const list = async (filter: object, limit = 9, before: number | null = null) => {
        const none = { application: null, evaluation: null, status: null };
        const page = { limit, before };
        return done(await runs().list(subject.project, { ...none, ...filter }, page));
      };
      const idsOf = async (filter: object) => (await list(filter)).items.map(({ id }) => id);
      expect(await idsOf({})).toEqual(ids);
      expect(await idsOf({ application: "support" })).toEqual(["r3", "r2", "r1", "r0"]);
      expect(await idsOf({ evaluation: "odd" })).toEqual(["r3", "r1"]);
      expect(await idsOf({ evaluation: "odd", status: "running" })).toEqual(["r3"]);
      expect(await idsOf({ application: "\u0000", evaluation: "\u0000" })).toEqual([]);
      const first = await list({}, 3);
      const second = await list({}, 3, first.next);
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
      expect(second.next).toBeNull();
    });

    it("lists cases with what came of them, and the worse ones worst first", async () => {
      const { ref } = await startRun(subject, { trials: 2 }, ["a", "b", "c", "d"]);
      const scored: [string, string, number, number | "failed"][] = [
        ["candidate", "a", 0, 1],
        ["candidate", "a", 1, 0],
        ["baseline", "a", 0, 1],
        ["candidate", "b", 0, 0],
        ["baseline", "b", 0, 1],
        ["candidate", "c", 0, "failed"],
        ["baseline", "c", 0, 0.5],
        ["candidate", "d", 0, 1],
        ["baseline", "d", 0, 0],
      ];
      await add(
        ref,
        ...scored.map(([name, id, trial, value]) =>
          result({ column: name, case: id, trial }, value),
        ),
      );
      const read = async (worse: boolean, limit: number, after: number | null) =>
        done(await runs().cases(ref, { worse, score: null }, { limit, after }));
      const second = await read(false, 2, 1);
      expect(second).toMatchObject({
        next: 3,
        items: [
          { id: "b", differences: { right: -1 } },
          { id: "c", differences: { right: null } },
        ],
      });
      expect((await read(false, 1, null)).items[0]?.columns).toEqual([
        {
          column: "candidate",
          results: 2,
          errors: 0,
          latency_ms: 10,
          cost: 1,
          scores: { right: { mean: 0.5, ok: 2, skipped: 0, failed: 0 } },
        },
        {
          column: "baseline",
          results: 1,
          errors: 0,
          latency_ms: 10,
          cost: 0.5,
          scores: { right: { mean: 1, ok: 1, skipped: 0, failed: 0 } },
        },
      ]);
      const worst = await read(true, 2, null);
      expect(worst).toMatchObject({ next: 2, items: [{ id: "c" }, { id: "b" }] });
      expect(await read(true, 2, worst.next)).toMatchObject({ next: null, items: [{ id: "a" }] });
      const other = await runs().cases(
        ref,
        { worse: true, score: "no" },
        { limit: 9, after: null },
      );
      expect(done(other).items).toEqual([]);
    });

    it("deletes a run, and all of an application with it", async () => {
      const { ref } = await startRun(subject, {}, ["a"]);
      const { ref: other } = await startRun(subject, {}, ["a"]);
      for (const run of [ref, other]) await add(run, result({ column: "candidate", case: "a" }));
      done(await runs().delete(ref));
      expect(problem(await runs().get(ref)).type).toBe("run_not_found");
      expect(problem(await runs().delete(ref)).type).toBe("run_not_found");
      expect(done(await runs().get(other)).results).toBe(1);
      const { keys } = await rowsOf(subject);
      expect(keys).toEqual({ runs: 1, cases: 1, results: 1 });
      done(await subject.registry.applications.delete(subject.app));
      expect((await rowsOf(subject)).keys).toEqual({ runs: 0, cases: 0, results: 0 });
    });

    it("empties a row of a test set in all its runs, and no other", async () => {
      const golden = { kind: "testset", name: "golden", revision: 1, hash: null } as const;
      const { ref } = await startRun(subject, { testset: golden }, ["a", "b"]);
      const { ref: later } = await startRun(subject, { testset: { ...golden, revision: 2 } }, [
        "a",
      ]);
      const { ref: other } = await startRun(subject, { testset: { ...golden, name: "other" } }, [
        "a",
      ]);
      const item = { column: "candidate", case: "a" };
      const failed = { status: "error", error: "secret" } as const;
      await add(ref, result(item, 0.5), result({ ...item, column: "baseline" }, "failed", failed));
      await add(ref, result({ ...item, case: "b" }));
      await add(later, result(item));
      await add(other, result(item));
      const before = done(await runs().report(ref)).figures;
      const { testSets } = subject.registry;
      const set = { slug: "golden", description: "", boundTo: null };
      done(await testSets.create(subject.project, set, "tests"));
      const row = { id: "a", inputs: {}, metadata: {}, tags: [], source: null };
      const change = { kind: "append", rows: [row] } as const;
      const commit = { change, baseRevision: null, by: "tests", message: "" };
      done(await testSets.commit(subject.project, "golden", commit));
      done(await testSets.purge(subject.project, "golden", "a"));
      const read = async (run: RunRef) => ({
        cases: done(await runs().cases(run, ALL, { limit: 9, after: null })).items,
        results: done(await runs().results(run, ANY, { limit: 9, after: null })).items,
      });
      const emptied = await read(ref);
      expect(emptied.cases[0]).toMatchObject({ id: "a", inputs: null, purged: true });
      expect(emptied.cases[1]).toMatchObject({ id: "b", inputs: { text: "b" } });
      expect(emptied.results).toMatchObject([
        { output: null, scores: [{ value: 0.5, explanation: null }] },
        { output: null, error: null },
        { output: { text: "answer" }, scores: [{ explanation: "because" }] },
      ]);
      expect((await read(later)).results).toMatchObject([{ output: null }]);
      expect((await read(other)).results).toMatchObject([{ output: { text: "answer" } }]);
      expect(done(await runs().report(ref)).figures).toEqual(before);
      expect(await runs().purge(subject.project, { testset: "golden", row: "\u0000" })).toBe(0);
    });

    it("keeps the builds of runs from clean-up, until they end or were idle for a day", async () => {
      const { id: application } = done(await subject.registry.applications.get(subject.app));
      let time = Date.UTC(2026, 5, 1);
      const registry = await subject.registryWith(keysOf(subject.key), () => new Date(time));
      const [oldest, second] = [await subject.begin(), await subject.begin()];
      for (let n = 0; n < KEPT_BUILDS; n++) await subject.begin();
      // Their order is all that counts: as if each had served.
      await subject.db
        .updateTable("builds")
        .set({ status: "retired" })
        .where("application_id", "=", application)
        .execute();
      const isKept = async ({ id }: { id: string }) =>
        (await registry.builds.kept(application)).has(id);
      expect([await isKept(oldest), await isKept(second)]).toEqual([false, false]);
      const columns = [column("candidate", "1"), column("baseline", second.id)];
      const created = await registry.runs.create(subject.project, runRequest({ columns }), "tests");
      const run = done(created);
      expect(run.columns.map(({ build }) => build?.number)).toEqual([1, 2]);
      expect([await isKept(oldest), await isKept(second)]).toEqual([true, true]);
      const day = 24 * 60 * 60_000;
      time += day - 1;
      expect(await isKept(oldest)).toBe(true);
      const ref = { project: subject.project, run: run.id };
      done(await registry.runs.addCases(ref, newCases(["a"])));
      time += day - 1;
      expect(await isKept(oldest)).toBe(true);
      time += 1;
      expect(await isKept(oldest)).toBe(false);
      done(await registry.runs.addCases(ref, newCases(["b"])));
      expect(await isKept(oldest)).toBe(true);
      done(await registry.runs.end(ref, { status: "stopped", reason: null }));
      expect(await isKept(oldest)).toBe(false);
    });
  });
}

const ALL = { worse: false, score: null };
const ANY = { column: null, case: null };

/** How many rows there are of the subject's runs. */
async function rowsOf({ db, project }: Subject) {
  const own = db.selectFrom("runs").select("key").where("project_id", "=", project);
  const runs = await own.execute();
  const cases = await db.selectFrom("run_cases").select("id").where("run_key", "in", own).execute();
  const results = await db
    .selectFrom("run_results")
    .select("trial")
    .where("run_key", "in", own)
    .execute();
  return { keys: { runs: runs.length, cases: cases.length, results: results.length } };
}
