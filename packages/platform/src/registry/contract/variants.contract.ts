import { describe, expect, it } from "vitest";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, done, problem, problems } from "./subject.fixture.ts";

export function describeVariants(subject: Subject): void {
  describe("variants and revisions", () => {
    it("counts revisions from 1, and keeps each as it was committed", async () => {
      await subject.freshApplication();
      const { revisions } = subject.registry;
      const hostile = JSON.parse('{"/":{"__proto__":{"a":1},"constructor":"\\u0000\\ud800"}}');
      const committed = done(
        await revisions.commit(subject.app, "default", {
          by: "ann",
          message: "first\0",
          params: hostile,
          baseRevision: 0,
        }),
      );
      expect(committed).toMatchObject({
        variant: { slug: "default", revision: 1 },
        message: "first",
        created_by: "ann",
        environments: [],
      });
      await subject.commit("default", { "/": { a: 2 } });
      const first = done(await revisions.get(subject.app, "default", 1));
      expect(first).toEqual(committed);
      expect(JSON.stringify(first.params)).toBe(JSON.stringify(hostile));
      expect(done(await revisions.get(subject.app, "default", null)).params).toEqual({
        "/": { a: 2 },
      });
    });

    it("takes a commit on top of the latest revision only", async () => {
      await subject.freshApplication({}, {});
      const on = (baseRevision: number) =>
        subject.registry.revisions.commit(subject.app, "default", {
          ...BY_TESTS,
          params: {},
          baseRevision,
        });
      expect(problem(await on(1))).toEqual({
        type: "revision_stale",
        loc: ["body", "base_revision"],
        msg: "default is at revision 2 by now: a newer revision exists. Look at what changed, and commit again with base_revision 2.",
      });
      expect(problem(await on(7)).msg).toBe(
        "default has no revision 7, but 2 at most: commit again with base_revision 2.",
      );
      expect(done(await on(2)).variant.revision).toBe(3);
    });

    it("refuses parameters of the wrong shape, also without a schema", async () => {
      await subject.freshApplication();
      const params = { summarize: {} };
      const commit = { ...BY_TESTS, params, baseRevision: 0 };
      expect(
        problem(await subject.registry.revisions.commit(subject.app, "default", commit)),
      ).toEqual({
        type: "params_invalid",
        loc: ["body", "params", "summarize"],
        msg: 'A route\'s path begins with "/". Write "/summarize".',
      });
      expect(await subject.resolved({ kind: "variant", variant: "default", revision: null })).toBe(
        "variant_not_found",
      );
    });

    it("lists revisions newest first, a page at a time, with where they are live", async () => {
      await subject.freshApplication({}, {}, {}, {}, {});
      done(await subject.deploy("staging", "default", 2));
      done(await subject.deploy("production", "default", 2));
      const seen: [number, readonly string[]][] = [];
      let before: number | null = null;
      do {
        const page: {
          items: readonly { variant: { revision: number }; environments: readonly string[] }[];
          next: number | null;
        } = done(
          await subject.registry.revisions.list(subject.app, "default", { limit: 2, before }),
        );
        seen.push(
          ...page.items.map((item): [number, readonly string[]] => [
            item.variant.revision,
            item.environments,
          ]),
        );
        before = page.next;
      } while (before !== null);
      expect(seen).toEqual([
        [5, []],
        [4, []],
        [3, []],
        [2, ["staging", "production"]],
        [1, []],
      ]);
      const exactly = { limit: 5, before: null };
      expect(
        done(await subject.registry.revisions.list(subject.app, "default", exactly)).next,
      ).toBeNull();
    });

    it("says which revision is not there", async () => {
      await subject.freshApplication({});
      const { revisions, variants } = subject.registry;
      done(await variants.create(subject.app, "empty"));
      expect(problem(await revisions.get(subject.app, "default", 2))).toEqual({
        type: "revision_not_found",
        loc: ["path", "revision"],
        msg: '"default" has no revision 2: its latest is 1.',
      });
      expect(
        problem(await revisions.get(subject.app, "default", Number.MAX_SAFE_INTEGER)).type,
      ).toBe("revision_not_found");
      expect(problem(await revisions.get(subject.app, "empty", null))).toMatchObject({
        type: "revision_not_found",
        msg: '"empty" has no revision yet. Commit one first.',
      });
      expect(problem(await revisions.get(subject.app, "none", 1)).type).toBe("variant_not_found");
    });

    it("forks a revision, and shows the source by the name that it has now", async () => {
      await subject.freshApplication({ "/": { a: 1 } }, { "/": { a: 2 } });
      const { variants, revisions } = subject.registry;
      const fork = done(
        await variants.fork(subject.app, { variant: "default", revision: 1 }, "bold", {
          by: "ann",
          message: "try it",
        }),
      );
      expect(fork).toMatchObject({
        slug: "bold",
        latest_revision: 1,
        forked_from: { slug: "default", revision: 1 },
      });
      expect(done(await revisions.get(subject.app, "bold", 1))).toMatchObject({
        params: { "/": { a: 1 } },
        message: "try it",
        created_by: "ann",
      });
      const source = { variant: "default", revision: null };
      expect(problem(await variants.fork(subject.app, source, "bold", BY_TESTS)).type).toBe(
        "slug_taken",
      );
      done(await variants.rename(subject.app, "default", "plain"));
      expect(done(await variants.get(subject.app, "bold")).forked_from?.slug).toBe("plain");
      done(await variants.delete(subject.app, "plain"));
      expect(done(await variants.get(subject.app, "bold")).forked_from).toEqual(fork.forked_from);
    });

    it("keeps ids over renames, and slugs apart", async () => {
      await subject.freshApplication({});
      const { variants } = subject.registry;
      const before = done(await variants.get(subject.app, "default"));
      done(await variants.create(subject.app, "other"));
      expect(problem(await variants.rename(subject.app, "default", "other"))).toEqual({
        type: "slug_taken",
        loc: ["body", "slug"],
        msg: 'There is a variant "other" already. Choose another slug.',
      });
      expect(done(await variants.rename(subject.app, "default", "default"))).toEqual(before);
      done(await variants.rename(subject.app, before.id, "renamed"));
      expect(done(await variants.get(subject.app, before.id))).toEqual({
        ...before,
        slug: "renamed",
      });
      expect(done(await variants.list(subject.app)).map(({ slug }) => slug)).toEqual([
        "other",
        "renamed",
      ]);
    });

    it("does not delete what is live, and says where", async () => {
      await subject.freshApplication({}, {});
      const { variants, deployments } = subject.registry;
      done(await subject.deploy("staging", "default", 1));
      done(await subject.deploy("production", "default", 2));
      expect(problems(await variants.delete(subject.app, "default")).map(({ msg }) => msg)).toEqual(
        [
          "default@1 is live in staging. Deploy another variant there, or take it down, first.",
          "default@2 is live in production. Deploy another variant there, or take it down, first.",
        ],
      );
      done(await deployments.takeDown(subject.app, "staging"));
      done(await deployments.takeDown(subject.app, "production"));
      done(await variants.delete(subject.app, "default"));
      expect(problem(await variants.get(subject.app, "default")).msg).toBe(
        'No variant "default". Create one, or deploy a workflow to one.',
      );
    });

    it("shows the difference of any two revisions", async () => {
      await subject.freshApplication(
        { "/": { a: 1, b: 1 }, "/x": {} },
        { "/": { a: 2 }, "/y": { c: [1] } },
      );
      done(await subject.deploy("production", "default", 1));
      const latest = { kind: "variant", variant: "default", revision: null } as const;
      const live = { kind: "environment", environment: "production" } as const;
      const { revisions } = subject.registry;
      expect(done(await revisions.diff(subject.app, live, latest))).toEqual({
        from: expect.objectContaining({ slug: "default", revision: 1 }),
        to: expect.objectContaining({ slug: "default", revision: 2 }),
        routes: [
          {
            route: "/",
            fields: [
              { field: "a", change: "changed", from: 1, to: 2 },
              { field: "b", change: "removed", from: 1 },
            ],
          },
          { route: "/y", fields: [{ field: "c", change: "added", to: [1] }] },
        ],
      });
      const nowhere = { kind: "environment", environment: "staging" } as const;
      expect(problem(await revisions.diff(subject.app, nowhere, latest))).toMatchObject({
        type: "deployment_not_found",
        loc: ["query", "from"],
      });
      const none = { kind: "variant", variant: "default", revision: 9 } as const;
      expect(problem(await revisions.diff(subject.app, latest, none))).toMatchObject({
        type: "revision_not_found",
        loc: ["query", "to"],
      });
    });
  });
}
