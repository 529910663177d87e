import type { TestRow } from "@agate/protocol";
import { MOST_SET_BYTES, readRows } from "@agate/protocol/testsets";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routesOpenapi } from "../../server/routes/registry/testing/workflow-openapi.fixture.ts";
import { toStoredRow } from "../testsets/row-content.ts";
import type { DiffPage, RowPage, RowsChange } from "../testsets/test-sets.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, problem, problems } from "./subject.fixture.ts";

/** Rows as a request has them. */
export function rowsOf(values: readonly object[]): readonly TestRow[] {
  const read = readRows(values.map((value) => ({ value, line: null })));
  if (read.kind === "faults") throw new Error(read.faults[0].msg);
  return read.rows;
}

const row = (id: string, n: unknown = id) => ({ id, inputs: { n } });

export function describeTestSets(subject: Subject): void {
  const sets = () => subject.registry.testSets;
  const replace = (...values: object[]): RowsChange => ({
    kind: "replace",
    rows: rowsOf(values),
    lines: null,
  });
  const commit = async (change: RowsChange, baseRevision: number | null = null) =>
    sets().commit(subject.project, "golden", { change, baseRevision, by: "ann", message: "why" });
  const readAll = async (revision: number | null, limit = 3): Promise<TestRow[]> => {
    const rows: TestRow[] = [];
    for (let after: number | null = null; ; ) {
      const page: RowPage = done(
        await sets().rows(subject.project, "golden", revision, { limit, after }),
      );
      rows.push(...page.items);
      if (page.next === null) return rows;
      after = page.next;
    }
  };
  const storedVersions = async () => {
    const { id } = done(await sets().get(subject.project, "golden"));
    const rows = await subject.db
      .selectFrom("test_rows")
      .select("row_id")
      .where("test_set_id", "=", id)
      .execute();
    return rows.length;
  };
  const fresh = async () => {
    await subject.freshProject();
    const created = { slug: "golden", description: "", boundTo: null };
    return done(await sets().create(subject.project, created, "ann"));
  };

  describe("test sets", () => {
    it("are created, found by slug and id, changed and deleted", async () => {
      const made = await fresh();
      expect(made).toEqual({
        ...{ id: expect.stringMatching(/^tst_/), slug: "golden", description: "" },
        ...{ created_by: "ann", created_at: expect.stringMatching(/^2026-/) },
        ...{ latest_revision: 0, rows: 0, bound_to: null },
      });
      const { project } = subject;
      const slugs = async () => (await sets().list(project)).map(({ slug }) => slug);
      done(await sets().create(project, { slug: "a", description: "d", boundTo: null }, "joe"));
      expect(await slugs()).toEqual(["a", "golden"]);
      const taken = await sets().create(
        project,
        { slug: "a", description: "", boundTo: null },
        "x",
      );
      expect(problem(taken)).toMatchObject({
        type: "slug_taken",
        msg: 'There is a test set "a" already. Choose another slug.',
      });
      expect(problem(await sets().update(project, "a", { slug: "golden" })).type).toBe(
        "slug_taken",
      );
      expect(problem(await sets().update(project, "a", { slug: "B" })).type).toBe("slug_invalid");
      expect(
        done(await sets().update(project, made.id, { slug: "gold", description: "x" })),
      ).toEqual({
        ...{ ...made, slug: "gold", description: "x" },
      });
      expect(done(await sets().update(project, "gold", {}))).toMatchObject({ description: "x" });
      expect(problem(await sets().get(project, "golden"))).toMatchObject({
        type: "test_set_not_found",
        msg: 'No test set "golden"; did you mean "gold"?',
      });
      await commit(replace(row("a")));
      done(await sets().delete(project, "gold"));
      expect(await slugs()).toEqual(["a"]);
      expect(problem(await sets().delete(project, "gold")).type).toBe("test_set_not_found");
    });

    it("belong to one project, and go with it", async () => {
      await fresh();
      const first = subject.project;
      await commit(replace(row("a")));
      await subject.freshProject();
      expect(problem(await sets().get(subject.project, "golden")).type).toBe("test_set_not_found");
      expect(await sets().list(subject.project)).toEqual([]);
      done(await subject.registry.projects.delete(first));
      const left = await subject.db
        .selectFrom("test_sets")
        .select("id")
        .where("project_id", "=", first)
        .execute();
      expect(left).toEqual([]);
    });

    it("keep revisions that never change, with their history", async () => {
      const { id } = await fresh();
      const first = done(await commit(replace(row("a"), row("b")), 0));
      const test_set = { id, slug: "golden" };
      expect(first).toEqual({
        isNew: true,
        commit: {
          ...{ test_set: { ...test_set, revision: 1 } },
          ...{ added: 2, changed: 0, removed: 0, moved: 0, unchanged: 0 },
        },
      });
      done(await commit(replace(row("b", 7), row("a")), 1));
      expect(await readAll(1)).toEqual(rowsOf([row("a"), row("b")]));
      expect(await readAll(null)).toEqual(rowsOf([row("b", 7), row("a")]));
      expect(await readAll(2)).toEqual(await readAll(null));
      const again = done(await commit(replace(row("b", 7), row("a")), 2));
      expect(again).toMatchObject({
        isNew: false,
        commit: { test_set: { revision: 2 }, unchanged: 2 },
      });
      const { items } = done(
        await sets().history(subject.project, "golden", { limit: 5, before: null }),
      );
      expect(items).toMatchObject([
        { test_set: { ...test_set, revision: 2 }, rows: 2, added: 0, changed: 1 },
        {
          ...{ test_set: { ...test_set, revision: 1 }, rows: 2, added: 2, changed: 0 },
          ...{ message: "why", created_by: "ann", created_at: expect.stringMatching(/^2026-/) },
        },
      ]);
      expect(done(await sets().revision(subject.project, "golden", null))).toEqual(items[0]);
      expect(done(await sets().revision(subject.project, "golden", 1))).toEqual(items[1]);
      for (const revision of [0, 3]) {
        expect(problem(await sets().revision(subject.project, "golden", revision)).type).toBe(
          "revision_not_found",
        );
      }
      expect(done(await sets().get(subject.project, "golden"))).toMatchObject({
        latest_revision: 2,
        rows: 2,
      });
    });

    it("take one of several commits that are made from the same revision", async () => {
      await fresh();
      const outcomes = await Promise.all(
        ["a", "b", "c", "d"].map((id) => commit(replace(row(id)), 0)),
      );
      expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
      const stale = outcomes.filter(({ kind }) => kind === "refused").map(problem);
      expect(stale.map(({ type, loc }) => [type, ...loc])).toEqual(
        Array(3).fill(["revision_stale", "body", "base_revision"]),
      );
      expect(problem(await commit(replace(), 7)).msg).toBe(
        "golden has no revision 7, but 1 at most: commit again with base_revision 1.",
      );
    });

    it("store one row for a change of one in many, wherever it is", async () => {
      await fresh();
      const many = Array.from({ length: 2000 }, (_, n) => row(`r${n}`, n));
      done(await commit(replace(...many)));
      expect(await storedVersions()).toBe(2000);
      const changes: [string, object[]][] = [
        ["changed", many.with(1000, row("r1000", "new"))],
        ["first", [row("first"), ...many]],
        ["middle", many.toSpliced(777, 0, row("middle"))],
        ["last", [...many, row("last")]],
        ["moved to the end", [...many.slice(1), many[0]!]],
        ["moved to the beginning", [many.at(-1)!, ...many.slice(0, -1)]],
      ];
      for (const [, rows] of changes) {
        done(await commit(replace(...many)));
        const before = await storedVersions();
        done(await commit(replace(...rows)));
        expect((await storedVersions()) - before).toBe(1);
      }
      const before = await storedVersions();
      const patch = { kind: "patch", upsert: rowsOf([row("r5", "x")]), delete: ["r6"] } as const;
      expect(done(await commit(patch)).commit).toMatchObject({ changed: 1, removed: 1, added: 0 });
      expect((await storedVersions()) - before).toBe(1);
    });

    it("find room for rows that are put into the same place again and again", async () => {
      await fresh();
      let rows = [row("a"), row("z")];
      for (let n = 0; n < 40; n++) {
        rows = rows.toSpliced(1, 0, row(`n${n}`));
        done(await commit(replace(...rows)));
      }
      expect((await readAll(null, 10)).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    });

    it("are what a naive model says after random changes", async () => {
      const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
      const some = fc.record({ id, inputs: fc.record({ n: fc.nat(2) }) });
      const list = fc.uniqueArray(some, { selector: (each) => each.id, maxLength: 6 });
      const step = fc.oneof(
        fc.record({ kind: fc.constant("replace" as const), rows: list }),
        fc.record({
          kind: fc.constant("patch" as const),
          upsert: list,
          delete: fc.uniqueArray(id, { maxLength: 3 }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
          await fresh();
          const model: (readonly TestRow[])[] = [[]];
          for (const each of steps) {
            const latest = model.at(-1)!;
            const { next, change } = applied(latest, each);
            const { isNew } = done(await commit(change, model.length - 1));
            expect(isNew).toBe(JSON.stringify(next) !== JSON.stringify(latest));
            if (isNew) model.push(next);
          }
          for (const [revision, rows] of model.entries()) {
            if (revision > 0) expect(await readAll(revision, 2)).toEqual(rows);
          }
          for (const from of model.keys()) {
            for (const to of model.keys()) {
              expect(await readDiff(from, to)).toEqual(modelDiff(model[from]!, model[to]!));
            }
          }
        }),
        { numRuns: subject.histories },
      );
    });

    async function readDiff(from: number, to: number) {
      const items: unknown[] = [];
      for (let after: number | null = null; ; ) {
        const page: DiffPage = done(
          await sets().diff(subject.project, "golden", { from, to }, { limit: 2, after }),
        );
        items.push(...page.items);
        if (page.next === null) {
          const { added, changed, removed } = page.counts;
          expect(added + changed + removed).toBe(items.length);
          return Object.fromEntries(items.map((item) => [(item as { id: string }).id, item]));
        }
        after = page.next;
      }
    }

    it("stay empty where a row was purged, in all revisions and for good", async () => {
      await fresh();
      const secret = { id: "a", inputs: { text: "secret" }, expected: "secret", tags: ["secret"] };
      done(await commit(replace(secret, row("b"))));
      done(await commit(replace({ ...secret, expected: "secret 2" }, row("b"))));
      const { project } = subject;
      done(await sets().purge(project, "golden", "a"));
      done(await sets().purge(project, "golden", "a"));
      const empty = { inputs: {}, metadata: {}, tags: [], source: null, purged: true };
      for (const revision of [1, 2]) {
        expect((await readAll(revision))[0]).toEqual({ id: "a", ...empty });
      }
      const stored = await subject.db.selectFrom("test_rows").selectAll().execute();
      expect(JSON.stringify(stored)).not.toContain("secret");
      expect(await readDiff(1, 2)).toEqual({});
      const back = problem(await commit(replace(secret)));
      expect(back).toMatchObject({ type: "rows_invalid", loc: ["body", "rows", 0] });
      expect(back.msg).toContain('The row "a" was purged');
      const kept = { id: "a", purged: true };
      expect(done(await commit(replace(kept, row("b")))).isNew).toBe(false);
      done(await commit(replace(row("b"))));
      expect(problem(await commit(replace(secret))).type).toBe("rows_invalid");
      done(await commit(replace(kept)));
      const withContent = problem(await commit(replace(kept, { id: "b", purged: true })));
      expect(withContent).toMatchObject({
        loc: ["body", "rows", 1, "purged"],
        msg: 'Row 2, purged: The row "b" has content. Purge it with agate testsets purge.',
      });
      done(await commit(replace(kept, { id: "from-elsewhere", purged: true })));
      expect(problem(await sets().purge(project, "golden", "x")).type).toBe("test_row_not_found");
    });

    it("name rows that a patch removes in vain, or writes and removes", async () => {
      await fresh();
      done(await commit(replace(row("a"))));
      const patch = { kind: "patch", upsert: rowsOf([row("b")]), delete: ["b", "c"] } as const;
      expect(problems(await commit(patch))).toEqual([
        { type: "rows_invalid", loc: ["body", "delete", 0], msg: '"b" is in upsert, too.' },
        {
          type: "rows_invalid",
          loc: ["body", "delete", 1],
          msg: 'The latest revision has no row "c".',
        },
      ]);
    });

    it("append rows whose ids are new, and leave the others", async () => {
      await fresh();
      done(await commit(replace(row("a", 1))));
      const [twice] = rowsOf([row("b", 3)]);
      const rows = [...rowsOf([row("a", 2), row("b", 2)]), twice!];
      const append = { kind: "append", rows } as const;
      expect(done(await commit(append)).commit).toMatchObject({ added: 1, unchanged: 1 });
      expect(await readAll(null)).toEqual(rowsOf([row("a", 1), row("b", 2)]));
    });

    it("have at most 256 MiB in a revision, whichever change would add more", async () => {
      const { id } = await fresh();
      const rows = rowsOf([{ id: "b", inputs: {} }]);
      const changes: RowsChange[] = [
        { kind: "patch", upsert: rows, delete: [] },
        { kind: "append", rows },
      ];
      const room = MOST_SET_BYTES - toStoredRow(rows[0]!).bytes;
      const commitBeside = async (change: RowsChange, bytes: number) => {
        done(await commit(replace(row("a"))));
        const stored = subject.db.updateTable("test_rows").set({ bytes });
        await stored.where("test_set_id", "=", id).where("row_id", "=", "a").execute();
        return commit(change);
      };
      for (const change of changes) {
        expect(done(await commitBeside(change, room)).commit.added).toBe(1);
        expect(problem(await commitBeside(change, room + 1))).toMatchObject({
          type: "rows_invalid",
          msg: "A test set has rows of at most 268,435,456 bytes together (got 268,435,457).",
        });
      }
    });

    it("check rows against the route that they are bound to", async () => {
      await subject.freshApplication();
      const { project, registry, app } = subject;
      const bind = (application: string, route: string) =>
        sets().create(
          project,
          { slug: "golden", description: "", boundTo: { application, route } },
          "ann",
        );
      expect(problem(await bind("nope", "/summarize"))).toMatchObject({
        type: "application_not_found",
        loc: ["body", "bound_to", "application"],
      });
      expect(problem(await bind("support", "/summarize")).type).toBe("schema_not_found");
      const openapi = (routes: Record<string, object>) => routesOpenapi(routes as never);
      const put = (document: object) =>
        registry.applications.putSchema(app, document, {
          ...{ environment: null, by: "ann", isDevelopment: true },
        });
      done(await put(openapi({ "/summarize": {} })));
      expect(problem(await bind("support", "/sumarize"))).toMatchObject({
        ...{ type: "test_set_invalid", loc: ["body", "bound_to", "route"] },
        msg: 'There is no such route; did you mean "/summarize"?',
      });
      const made = done(await bind("support", "/summarize"));
      expect(made.bound_to).toEqual({ application: "support", route: "/summarize" });
      const bad = { id: "bad", inputs: { text: 7 } };
      expect(problems(await commit(replace({ inputs: { text: "x" } }, bad)))).toEqual([
        {
          type: "rows_invalid",
          loc: ["body", "rows", 1, "inputs", "text"],
          msg: 'Row 2, inputs.text: Must be a text (got 7). (row "bad")',
        },
      ]);
      const lines = { ...(replace(bad) as Extract<RowsChange, { kind: "replace" }>), lines: [9] };
      expect(problem(await commit(lines))).toMatchObject({
        loc: ["body", 9, "inputs", "text"],
        msg: 'Line 9, inputs.text: Must be a text (got 7). (row "bad")',
      });
      done(await commit(replace({ id: "good", inputs: { text: "x" } })));
      expect(done(await sets().inputSchema(project, "golden"))).toMatchObject({ type: "object" });

      // What is there already is not checked again; an unbound set takes anything.
      done(await sets().update(project, "golden", { boundTo: null }));
      expect(done(await sets().inputSchema(project, "golden"))).toBeNull();
      done(await commit(replace({ id: "good", inputs: { text: "x" } }, bad)));
      const boundTo = { application: "support", route: "/summarize" };
      done(await sets().update(project, "golden", { boundTo }));
      done(await commit(replace(bad, { id: "good", inputs: { text: "y" } })));
      done(await put(openapi({ "/other": {} })));
      expect(problem(await commit(replace({ id: "z", inputs: {} })))).toMatchObject({
        type: "test_set_invalid",
        loc: ["path", "testset"],
      });
    });

    it("are bound to nothing when the application is deleted", async () => {
      await subject.freshApplication();
      const { project, registry, app } = subject;
      const options = { environment: null, by: "ann", isDevelopment: true };
      done(await registry.applications.putSchema(app, routesOpenapi({ "/a": {} }), options));
      const boundTo = { application: "support", route: "/a" };
      done(await sets().create(project, { slug: "golden", description: "", boundTo }, "ann"));
      for (const { slug, deployment } of done(await registry.environments.list(app))) {
        if (deployment !== null) done(await registry.deployments.takeDown(app, slug));
      }
      done(await registry.applications.delete(app));
      expect(done(await sets().get(project, "golden")).bound_to).toBeNull();
      done(await commit(replace(row("a"))));
    });
  });
}

type Step =
  | { readonly kind: "replace"; readonly rows: readonly object[] }
  | { readonly kind: "patch"; readonly upsert: readonly object[]; readonly delete: string[] };

/** What a step makes of the rows, and the change that asks for it. */
function applied(
  latest: readonly TestRow[],
  step: Step,
): { next: readonly TestRow[]; change: RowsChange } {
  if (step.kind === "replace") {
    const rows = rowsOf(step.rows);
    return { next: rows, change: { kind: "replace", rows, lines: null } };
  }
  const upsert = rowsOf(step.upsert);
  const written = new Map(upsert.map((each) => [each.id, each]));
  const known = new Set(latest.map(({ id }) => id));
  const removed = step.delete.filter((id) => known.has(id) && !written.has(id));
  const next = [
    ...latest.filter(({ id }) => !removed.includes(id)).map((each) => written.get(each.id) ?? each),
    ...upsert.filter(({ id }) => !known.has(id)),
  ];
  return { next, change: { kind: "patch", upsert, delete: removed } };
}

function modelDiff(before: readonly TestRow[], after: readonly TestRow[]): Record<string, unknown> {
  const diff: Record<string, unknown> = {};
  for (const to of after) {
    const from = before.find(({ id }) => id === to.id);
    if (from === undefined) diff[to.id] = { id: to.id, change: "added", to };
    else if (JSON.stringify(from) !== JSON.stringify(to)) {
      diff[to.id] = { id: to.id, change: "changed", from, to };
    }
  }
  for (const from of before) {
    if (!after.some(({ id }) => id === from.id)) {
      diff[from.id] = { id: from.id, change: "removed", from };
    }
  }
  return diff;
}
