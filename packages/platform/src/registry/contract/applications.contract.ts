import { describe, expect, it } from "vitest";
import type { Subject } from "./subject.fixture.ts";
import { done, problem, problems } from "./subject.fixture.ts";

export function describeApplications(subject: Subject): void {
  describe("applications and environments", () => {
    it("begins with development, staging and production, and nothing in them", async () => {
      await subject.freshApplication();
      const environments = done(await subject.registry.environments.list(subject.app));
      expect(environments.map(({ slug, deployment }) => [slug, deployment])).toEqual([
        ["development", null],
        ["staging", null],
        ["production", null],
      ]);
      expect(await subject.registry.applications.list(subject.project)).toEqual([
        {
          id: expect.stringMatching(/^app_[a-z2-7]{20}$/),
          slug: "support",
          created_at: expect.stringMatching(/^2026-.*\.\d{3}Z$/),
          routes: null,
          build: null,
        },
      ]);
    });

    it("lists by slug, character by character", async () => {
      await subject.freshApplication();
      const slugs = ["a-b", "a.b", "a0", "a_b", "ab"];
      for (const slug of slugs.toReversed()) {
        done(await subject.registry.applications.create(subject.project, slug));
        done(await subject.registry.variants.create(subject.app, slug));
      }
      const applications = await subject.registry.applications.list(subject.project);
      expect(applications.map(({ slug }) => slug)).toEqual([...slugs, "support"]);
      const variants = done(await subject.registry.variants.list(subject.app));
      expect(variants.map(({ slug }) => slug)).toEqual([...slugs, "default"]);
    });

    it("is seen in its own project only", async () => {
      await subject.freshApplication();
      const { id } = done(await subject.registry.applications.get(subject.app));
      await subject.freshProject();
      expect(await subject.registry.applications.list(subject.project)).toEqual([]);
      for (const application of ["support", id]) {
        const ref = { project: subject.project, application };
        expect(problem(await subject.registry.applications.get(ref)).type).toBe(
          "application_not_found",
        );
        expect(problem(await subject.registry.applications.rename(ref, "mine")).type).toBe(
          "application_not_found",
        );
        expect(problem(await subject.registry.applications.delete(ref)).type).toBe(
          "application_not_found",
        );
      }
      done(await subject.registry.applications.create(subject.project, "support"));
    });

    it("keeps its id and all that it has when it is renamed", async () => {
      await subject.freshApplication({});
      done(await subject.deploy("production", "default"));
      const before = done(await subject.registry.applications.get(subject.app));
      const renamed = done(await subject.registry.applications.rename(subject.app, "helpdesk"));
      expect(renamed).toEqual({ ...before, slug: "helpdesk" });
      const byId = { project: subject.project, application: before.id };
      expect(
        await subject.registry.resolve(byId, { kind: "environment", environment: "production" }),
      ).toMatchObject({ kind: "done", value: { application: { slug: "helpdesk" } } });
      expect(problem(await subject.registry.applications.get(subject.app)).msg).toBe(
        'No application "support": there is only "helpdesk".',
      );
    });

    it("gets an application, or makes it", async () => {
      await subject.freshProject();
      const { applications } = subject.registry;
      const made = done(await applications.ensure(subject.project, "support"));
      expect(done(await applications.ensure(subject.project, "support"))).toEqual(made);
      expect(done(await applications.ensure(subject.project, made.id))).toEqual(made);
      expect(problem(await applications.ensure(subject.project, "Support"))).toMatchObject({
        type: "slug_invalid",
        loc: ["path", "app"],
      });
    });

    it("says what was probably meant", async () => {
      await subject.freshApplication();
      const { environments, variants, applications } = subject.registry;
      const messages = [
        await applications.get({ project: subject.project, application: "suport" }),
        await environments.get(subject.app, "prod"),
        await environments.get(subject.app, "live"),
        await variants.get(subject.app, "defualt"),
      ].map((outcome) => problem(outcome).msg);
      expect(messages).toEqual([
        'No application "suport"; did you mean "support"?',
        'No environment "prod"; did you mean "production"?',
        'No environment "live": there is "development", "production" or "staging".',
        'No variant "defualt"; did you mean "default"?',
      ]);
    });

    it("adds, renames and deletes environments, but none that runs something", async () => {
      await subject.freshApplication({});
      const { environments } = subject.registry;
      const made = done(await environments.create(subject.app, "canary"));
      expect(problem(await environments.create(subject.app, "canary")).type).toBe("slug_taken");
      expect(problem(await environments.rename(subject.app, "canary", "staging")).type).toBe(
        "slug_taken",
      );
      expect(problem(await environments.rename(subject.app, "canary", "a b")).type).toBe(
        "slug_invalid",
      );
      const renamed = done(await environments.rename(subject.app, "canary", "preview"));
      expect(renamed).toEqual({ ...made, slug: "preview" });
      const deployment = done(await subject.deploy("preview", "default"));
      expect(done(await environments.get(subject.app, made.id))).toEqual({
        ...renamed,
        deployment,
      });
      expect(problem(await environments.delete(subject.app, "preview"))).toEqual({
        type: "still_live",
        loc: ["path", "environment"],
        msg: "preview runs default@1. Take that down first.",
      });
      done(await subject.registry.deployments.takeDown(subject.app, "preview"));
      done(await environments.delete(subject.app, "preview"));
      expect(problem(await environments.get(subject.app, made.id)).type).toBe(
        "environment_not_found",
      );
    });

    it("keeps the history of an environment that is deleted, whose slug is free again", async () => {
      await subject.freshApplication({});
      const { environments, deployments, variables } = subject.registry;
      const { id } = done(await environments.get(subject.app, "staging"));
      done(await subject.deploy("staging", "default"));
      const change = { set: [{ name: "MODE", value: "x", isSecret: false }], unset: [] };
      done(await variables.change(subject.app, "staging", change, "tests"));
      const promotion = {
        kind: "promotion",
        from: "staging",
        parts: "both",
        expect: null,
      } as const;
      done(await subject.change({ ...promotion, environment: "production" }));
      done(await deployments.takeDown(subject.app, "staging"));
      done(await environments.delete(subject.app, "staging"));
      for (const name of ["staging", id]) {
        expect(problem(await environments.get(subject.app, name)).type).toBe(
          "environment_not_found",
        );
      }
      const page = { limit: 10, before: null };
      const history = done(await deployments.list(subject.app, null, page)).items;
      expect(history.map(({ environment, promoted_from: from }) => [environment, from])).toEqual([
        ["production", "staging"],
        ["staging", null],
      ]);
      expect(
        await subject.db
          .selectFrom("variables")
          .selectAll()
          .where("environment_id", "=", id)
          .execute(),
      ).toEqual([]);
      const fresh = done(await environments.create(subject.app, "staging"));
      expect(fresh).toMatchObject({ slug: "staging", deployment: null });
      expect(fresh.id).not.toBe(id);
      expect(done(await deployments.list(subject.app, "staging", page)).items).toEqual([]);
      expect(problem(await environments.delete(subject.app, "production")).type).toBe("still_live");
      done(await deployments.takeDown(subject.app, "production"));
      expect(problem(await environments.delete(subject.app, "production")).msg).toBe(
        "production is the default environment: calls that name none go to it. It can be renamed, not deleted.",
      );
    });

    it("is not deleted while anything of it is live, and says what", async () => {
      await subject.freshApplication({});
      const { applications, deployments, builds } = subject.registry;
      done(await subject.deploy("staging", "default"));
      done(await subject.deploy("production", "default"));
      expect(problems(await applications.delete(subject.app)).map(({ msg }) => msg)).toEqual([
        "staging runs default@1. Take that down first.",
        "production runs default@1. Take that down first.",
      ]);
      for (const environment of ["staging", "production"]) {
        done(await deployments.takeDown(subject.app, environment));
      }
      const { id } = done(await applications.delete(subject.app));
      expect(problem(await builds.list(subject.app, { limit: 1, before: null })).type).toBe(
        "application_not_found",
      );
      expect(done(await applications.create(subject.project, "support")).id).not.toBe(id);
      expect(done(await subject.registry.variants.list(subject.app))).toEqual([]);
    });

    it("announces what a running workflow may notice, and nothing else", async () => {
      await subject.freshApplication({});
      const { applications, environments, variants } = subject.registry;
      const count = (work: () => Promise<unknown>) => subject.announcements(work);
      expect(await count(() => environments.create(subject.app, "canary"))).toBe(1);
      expect(await count(() => environments.rename(subject.app, "canary", "preview"))).toBe(1);
      expect(await count(() => environments.delete(subject.app, "preview"))).toBe(1);
      expect(await count(() => environments.delete(subject.app, "preview"))).toBe(0);
      expect(await count(() => variants.rename(subject.app, "default", "first"))).toBe(1);
      expect(await count(() => variants.create(subject.app, "second"))).toBe(0);
      expect(await count(() => variants.delete(subject.app, "second"))).toBe(1);
      expect(await count(() => subject.commit("first", {}))).toBe(1);
      expect(await count(() => subject.deploy("production", "first"))).toBe(1);
      expect(await count(() => subject.deploy("production", "second"))).toBe(0);
      expect(await count(() => applications.delete(subject.app))).toBe(0);
      expect(await count(() => applications.rename(subject.app, "helpdesk"))).toBe(1);
    });
  });
}
