import { describe, expect, it } from "vitest";
import { summarizeDocument } from "../schema/workflow-document.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, done } from "./subject.fixture.ts";

/** Does the same many times at once. */
function atOnce<Result>(times: number, work: (n: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, n) => work(n)));
}

export function describeConcurrency(subject: Subject): void {
  describe("many at once", () => {
    it("lets exactly one of the commits on the same base win", async () => {
      await subject.freshApplication({});
      const outcomes = await atOnce(20, (n) =>
        subject.registry.revisions.commit(subject.app, "default", {
          ...BY_TESTS,
          params: { "/": { n } },
          baseRevision: 1,
        }),
      );
      const won = outcomes.filter((outcome) => outcome.kind === "done");
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.kind === "refused") expect(outcome.problems[0].type).toBe("revision_stale");
      }
      const latest = done(await subject.registry.revisions.get(subject.app, "default", null));
      expect(latest.variant.revision).toBe(2);
      expect(latest.params).toEqual(won[0]?.value.params);
    });

    it("lets exactly one of those who want a slug have it", async () => {
      await subject.freshProject();
      const { applications, variants, environments, projects } = subject.registry;
      const project = subject.unusedSlug();
      const winners = async (work: (n: number) => Promise<{ kind: string }>) =>
        (await atOnce(10, work)).filter(({ kind }) => kind === "done").length;
      expect(await winners(() => projects.create(project))).toBe(1);
      expect(await winners(() => applications.create(subject.project, "support"))).toBe(1);
      expect(await winners(() => variants.create(subject.app, "default"))).toBe(1);
      expect(await winners(() => environments.create(subject.app, "canary"))).toBe(1);
      await atOnce(5, (n) => variants.create(subject.app, `variant-${n}`));
      await atOnce(5, (n) => applications.create(subject.project, `other-${n}`));
      expect(await winners((n) => variants.rename(subject.app, `variant-${n}`, "same"))).toBe(1);
      expect(
        await winners((n) =>
          applications.rename({ project: subject.project, application: `other-${n}` }, "same"),
        ),
      ).toBe(1);
    });

    it("creates an application once, for concurrent requests", async () => {
      await subject.freshProject();
      const made = await atOnce(10, () =>
        subject.registry.applications.ensure(subject.project, "support"),
      );
      expect(new Set(made.map((outcome) => done(outcome).id)).size).toBe(1);
      expect(done(await subject.registry.environments.list(subject.app))).toHaveLength(3);
    });

    it("keeps every deployment in the history, one of them live", async () => {
      await subject.freshApplication({}, {});
      const made = await atOnce(20, (n) =>
        subject.deploy(
          n % 2 === 0 ? "staging" : "production",
          "default",
          1 + (n % 3 === 0 ? 1 : 0),
        ),
      );
      const page = { limit: 100, before: null };
      const all = done(await subject.registry.deployments.list(subject.app, null, page)).items;
      expect(all.map(({ id }) => id).sort()).toEqual(made.map((one) => done(one).id).sort());
      for (const environment of ["staging", "production"]) {
        const history = all.filter((one) => one.environment === environment);
        expect(history.map(({ ended_at }) => ended_at)).toEqual([
          null,
          ...history.slice(0, -1).map(({ deployed_at }) => deployed_at),
        ]);
      }
    });

    it("never deletes what is being deployed", async () => {
      for (let round = 0; round < 5; round++) {
        await subject.freshApplication({});
        const [deployed, deleted] = await Promise.all([
          subject.deploy("production", "default"),
          subject.registry.variants.delete(subject.app, "default"),
        ]);
        expect([deployed.kind, deleted.kind].sort()).toEqual(["done", "refused"]);
        const live = await subject.live("production");
        expect(live).toBe(deployed.kind === "done" ? "default@1" : "deployment_not_found");
      }
    });

    it("numbers builds one by one, and activates one at a time", async () => {
      await subject.freshApplication({});
      const begun = await atOnce(10, () => subject.begin());
      const numbers = begun.map(({ number }) => number);
      expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      const openapi = await summarizeDocument(1);
      await Promise.all(
        begun.map(async ({ id: build }) => {
          const what = { kind: "deploy", build, config: null, configIn: "query" } as const;
          done(await subject.change({ ...what, environment: "production" }, { openapi }));
        }),
      );
      const page = { limit: 10, before: null };
      const { items } = done(await subject.registry.builds.list(subject.app, page));
      expect(items.filter(({ status }) => status === "live")).toHaveLength(1);
      expect(items.filter(({ status }) => status === "retired")).toHaveLength(9);
    });

    it("announces a change after it can be read", async () => {
      await subject.freshApplication({}, {});
      const { id } = done(await subject.registry.applications.get(subject.app));
      const seen: Promise<string>[] = [];
      await subject.settle();
      const stop = subject.registry.changes.subscribe(id, () =>
        seen.push(subject.live("production")),
      );
      for (const revision of [1, 2]) {
        done(await subject.deploy("production", "default", revision));
        await subject.settle();
        expect(await seen.at(-1)).toBe(`default@${revision}`);
      }
      stop();
      expect(seen).toHaveLength(2);
    });
  });
}
