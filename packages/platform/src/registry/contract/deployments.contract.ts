import type { Build, Deployment } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import type { MovedParts } from "../deployment-change.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, deploymentOf, done, problem } from "./subject.fixture.ts";

const ALL = { limit: 100, before: null };

export function describeDeployments(subject: Subject): void {
  describe("deployments", () => {
    const historyOf = async (environment: string | null) =>
      done(
        await subject.registry.deployments.list(subject.app, environment, {
          limit: 100,
          before: null,
        }),
      ).items;
    const rollBack = async (
      environment: string,
      deployment: string | null = null,
      parts: MovedParts = "both",
    ) => deploymentOf(await subject.change({ kind: "rollback", environment, deployment, parts }));
    const promote = async (environment: string, from: string, parts: MovedParts = "both") =>
      deploymentOf(
        await subject.change({ kind: "promotion", environment, from, parts, expect: null }),
      );

    it("pins one revision, also after later commits", async () => {
      await subject.freshApplication({ "/": { a: 1 } });
      done(await subject.deploy("production", "default"));
      await subject.commit("default", { "/": { a: 2 } });
      expect(await subject.live("production")).toBe("default@1");
      const byVariant = { kind: "variant", variant: "default", revision: null } as const;
      expect(await subject.resolved(byVariant)).toBe("default@2");
    });

    it("resolves as running workflows expect it", async () => {
      await subject.freshApplication({ "/": { a: 1 } }, {});
      done(await subject.deploy("production", "default", 1));
      const application = done(await subject.registry.applications.get(subject.app));
      const variant = done(await subject.registry.variants.get(subject.app, "default"));
      const production = { kind: "environment", environment: "production" } as const;
      expect(done(await subject.registry.resolve(subject.app, production))).toEqual({
        application: { id: application.id, slug: "support" },
        variant: { id: variant.id, slug: "default", revision: 1 },
        environment: "production",
        params: { "/": { a: 1 } },
      });
      const second = { kind: "variant", variant: variant.id, revision: 2 } as const;
      expect(done(await subject.registry.resolve(subject.app, second))).toMatchObject({
        variant: { revision: 2 },
        environment: null,
        params: {},
      });
      done(await subject.registry.variants.create(subject.app, "empty"));
      const types = await Promise.all([
        subject.live("nowhere"),
        subject.live("staging"),
        subject.resolved({ kind: "variant", variant: "none", revision: null }),
        subject.resolved({ kind: "variant", variant: "empty", revision: null }),
        subject.resolved({ kind: "variant", variant: "empty", revision: 1 }),
        subject.resolved({ kind: "variant", variant: "default", revision: 3 }),
      ]);
      expect(types).toEqual([
        "environment_not_found",
        "deployment_not_found",
        "variant_not_found",
        "variant_not_found",
        "revision_not_found",
        "revision_not_found",
      ]);
    });

    it("keeps a history in which each ends where the next begins", async () => {
      await subject.freshApplication({}, {});
      const { deployments } = subject.registry;
      const ann = { by: "ann", message: "Go." };
      const first = done(await subject.deploy("staging", "default", 1, ann));
      expect(first).toMatchObject({
        id: expect.stringMatching(/^dep_/),
        environment: "staging",
        build: { id: expect.stringMatching(/^bld_/), number: 1, kind: "hosted" },
        kind: "deploy",
        promoted_from: null,
        rolled_back_to: null,
        message: "Go.",
        deployed_by: "ann",
        ended_at: null,
      });
      done(await subject.deploy("production", "default", 1));
      const second = done(await subject.deploy("staging", "default"));
      const taken = done(await deployments.takeDown(subject.app, "staging"));
      expect(taken).toEqual({ ...second, ended_at: expect.any(String) });
      expect(await historyOf("staging")).toEqual([
        taken,
        { ...first, ended_at: second.deployed_at },
      ]);
      expect((await historyOf(null)).map(({ environment }) => environment)).toEqual([
        "staging",
        "production",
        "staging",
      ]);
      expect(problem(await deployments.takeDown(subject.app, "staging"))).toEqual({
        type: "deployment_not_found",
        loc: ["path", "environment"],
        msg: 'Nothing is deployed to "staging". Deploy a revision to it first.',
      });
    });

    it("lists a page at a time, of one environment or of all", async () => {
      await subject.freshApplication({});
      const made: Deployment[] = [];
      for (const environment of ["staging", "production", "staging", "staging", "production"]) {
        made.push(done(await subject.deploy(environment, "default")));
      }
      for (const [environment, wanted] of [
        [null, made],
        ["staging", made.filter((item) => item.environment === "staging")],
      ] as const) {
        const ids: string[] = [];
        for (let before: number | null = null, more = true; more; more = before !== null) {
          const request = { limit: 2, before };
          const page: { items: readonly Deployment[]; next: number | null } = done(
            await subject.registry.deployments.list(subject.app, environment, request),
          );
          ids.push(...page.items.map(({ id }) => id));
          before = page.next;
        }
        expect(ids).toEqual(wanted.map(({ id }) => id).reverse());
      }
    });

    it("promotes exactly what is live elsewhere", async () => {
      await subject.freshApplication({}, {}, {});
      done(await subject.deploy("staging", "default", 2));
      const promoted = done(await promote("production", "staging"));
      expect(promoted).toMatchObject({
        environment: "production",
        variant: { slug: "default", revision: 2 },
        kind: "promotion",
        promoted_from: "staging",
      });
      done(await subject.deploy("staging", "default", 3));
      expect(await subject.live("production")).toBe("default@2");
      done(await subject.registry.environments.rename(subject.app, "staging", "preview"));
      expect((await historyOf("production"))[0]?.promoted_from).toBe("preview");
      expect(problem(await promote("production", "development"))).toMatchObject({
        type: "deployment_not_found",
        loc: ["body", "from"],
      });
      expect(problem(await promote("production", "staging"))).toMatchObject({
        type: "environment_not_found",
        loc: ["body", "from"],
      });
    });

    it("rolls back to the revision before, or to any deployment of the environment", async () => {
      await subject.freshApplication({}, {}, {});
      const first = done(await subject.deploy("production", "default", 1));
      const second = done(await subject.deploy("production", "default", 2));
      done(await subject.deploy("production", "default", 3));
      // The same revision again is nothing to go back to.
      done(await subject.deploy("production", "default", 3));
      expect(done(await rollBack("production"))).toMatchObject({
        kind: "rollback",
        rolled_back_to: second.id,
        variant: { revision: 2 },
      });
      expect(done(await rollBack("production", first.id))).toMatchObject({
        rolled_back_to: first.id,
        variant: { revision: 1 },
      });
      expect(await subject.live("production")).toBe("default@1");
      done(await subject.registry.deployments.takeDown(subject.app, "production"));
      expect(done(await rollBack("production"))).toMatchObject({ variant: { revision: 1 } });
    });

    it("moves build and revision together, or one of them", async () => {
      await subject.freshApplication({}, {});
      const [first, second] = [await subject.begin(), await subject.begin()];
      const pair = ({ build, variant }: Deployment) => [build?.number, variant.revision];
      const deploy = async (environment: string, build: Build | null, revision: number | null) =>
        done(
          await subject.change({
            kind: "deploy",
            environment,
            build: build?.id ?? null,
            config: revision === null ? null : { variant: "default", revision },
            configIn: "query",
          }),
        ).deployment;
      expect(pair(await deploy("production", first, 1))).toEqual([1, 1]);
      expect(pair(await deploy("staging", second, 2))).toEqual([2, 2]);
      expect(pair(done(await promote("production", "staging", "code")))).toEqual([2, 1]);
      expect(pair(done(await rollBack("production", null, "code")))).toEqual([1, 1]);
      expect(pair(done(await promote("production", "staging", "config")))).toEqual([1, 2]);
      expect(pair(done(await promote("production", "staging")))).toEqual([2, 2]);
      expect(pair(done(await rollBack("production", null, "config")))).toEqual([2, 1]);
      expect(pair(done(await rollBack("production")))).toEqual([2, 2]);
      // A deploy of code keeps the revision; one of a revision keeps the code.
      expect(pair(await deploy("production", first, null))).toEqual([1, 2]);
      expect(pair(await deploy("production", null, 1))).toEqual([1, 1]);
      expect(pair(await deploy("staging", second, null))).toEqual([2, 2]);
      const builds = done(await subject.registry.builds.list(subject.app, ALL)).items;
      expect(builds.map(({ number, environments }) => [number, environments])).toEqual([
        [2, ["staging"]],
        [1, ["production"]],
      ]);
    });

    it("answers a process with the revision that was deployed together with its build", async () => {
      await subject.freshApplication({}, {}, {});
      const { deployments, environments, registry } = {
        ...subject.registry,
        registry: subject.registry,
      };
      const { id: environmentId } = done(await environments.get(subject.app, "production"));
      const [first, second] = [await subject.begin(), await subject.begin()];
      const deploy = async (build: Build | null, revision: number) =>
        done(
          await subject.change({
            kind: "deploy",
            environment: "production",
            build: build?.id ?? null,
            config: { variant: "default", revision },
            configIn: "query",
          }),
        );
      const asked = async (build: Build) => {
        const which = { kind: "environment", environment: "whatever" } as const;
        const pair = { environmentId, buildId: build.id };
        const outcome = await registry.resolve(subject.app, which, pair);
        return outcome.kind === "refused"
          ? outcome.problems[0].type
          : [outcome.value.environment, outcome.value.variant.revision];
      };
      expect(await asked(first)).toBe("deployment_not_found");
      await deploy(first, 1);
      expect(await asked(first)).toEqual(["production", 1]);
      await deploy(null, 2);
      expect(await asked(first)).toEqual(["production", 2]);
      await deploy(second, 3);
      // It drains: the new values are for the new code.
      expect(await asked(first)).toEqual(["production", 2]);
      expect(await asked(second)).toEqual(["production", 3]);
      done(await deployments.takeDown(subject.app, "production"));
      expect(await asked(second)).toEqual(["production", 3]);
      const variant = { kind: "variant", variant: "default", revision: 1 } as const;
      const pair = { environmentId, buildId: first.id };
      expect(done(await registry.resolve(subject.app, variant, pair)).variant.revision).toBe(1);
    });

    it("deploys a revision only where there is code", async () => {
      await subject.freshApplication({});
      const config = { variant: "default", revision: 1 };
      const alone = { kind: "deploy", build: null, config, configIn: "body" } as const;
      expect(problem(await subject.change({ ...alone, environment: "staging" }))).toMatchObject({
        type: "build_missing",
        loc: ["path", "environment"],
      });
      done(await subject.deploy("production", "default"));
      expect(problem(await promote("staging", "production", "config")).type).toBe("build_missing");
      done(await promote("staging", "production", "code"));
      expect(await subject.live("staging")).toBe("default@1");
    });

    it("promotes only what was looked at, where that is said", async () => {
      await subject.freshApplication({}, {});
      const seen = done(await subject.deploy("staging", "default", 1));
      const promotion = { kind: "promotion", environment: "production", from: "staging" } as const;
      const expecting = (expect: string) => subject.change({ ...promotion, expect, parts: "both" });
      const promoted = done(await expecting(seen.id));
      expect(promoted.deployment.variant.revision).toBe(1);
      const next = done(await subject.deploy("staging", "default", 2));
      expect(problem(await expecting(seen.id))).toEqual({
        type: "deployment_stale",
        loc: ["body", "expect"],
        msg: `staging runs deployment ${next.id} by now, and not "${seen.id}". Look at what changed, and promote again.`,
      });
      expect(await subject.live("production")).toBe("default@1");
      done(await expecting(next.id));
      expect(await subject.live("production")).toBe("default@2");
    });

    it("refuses a roll-back to what is not in the history, or was deleted", async () => {
      await subject.freshApplication({});
      expect(problem(await rollBack("production")).msg).toBe(
        'Nothing else was deployed to "production" before: there is nothing to go back to.',
      );
      const elsewhere = done(await subject.deploy("staging", "default"));
      const first = done(await subject.deploy("production", "default"));
      expect(problem(await rollBack("production")).type).toBe("deployment_not_found");
      for (const id of [elsewhere.id, "dep_aaaaaaaaaaaaaaaaaaaa", "1", "a\0b"]) {
        expect(problem(await rollBack("production", id))).toMatchObject({
          type: "deployment_not_found",
          loc: ["body", "deployment"],
        });
      }
      const { variants } = subject.registry;
      const source = { variant: "default", revision: 1 };
      done(await variants.fork(subject.app, source, "other", BY_TESTS));
      done(await subject.deploy("production", "other"));
      done(await subject.deploy("staging", "other"));
      done(await variants.delete(subject.app, "default"));
      for (const id of [null, first.id]) {
        expect(problem(await rollBack("production", id))).toEqual({
          type: "variant_not_found",
          loc: ["body", "deployment"],
          msg: `Deployment ${first.id} ran default@1, and that variant has been deleted since. Choose another deployment.`,
        });
      }
      expect(await subject.live("production")).toBe("other@1");
    });

    it("shows variants in the history by the name that they have now, or had", async () => {
      await subject.freshApplication({});
      const { variants } = subject.registry;
      const { variant } = done(await subject.deploy("production", "default"));
      done(await variants.rename(subject.app, "default", "renamed"));
      expect((await historyOf("production"))[0]?.variant).toEqual({ ...variant, slug: "renamed" });
      done(await subject.registry.deployments.takeDown(subject.app, "production"));
      done(await variants.delete(subject.app, "renamed"));
      expect((await historyOf("production"))[0]?.variant).toEqual(variant);
    });

    it("says what of a deployment is not there", async () => {
      await subject.freshApplication({});
      done(await subject.registry.variants.create(subject.app, "empty"));
      const outcomes = [
        await subject.deploy("nowhere", "default"),
        await subject.deploy("production", "none"),
        await subject.deploy("production", "default", 2),
        await subject.deploy("production", "empty"),
      ];
      expect(outcomes.map(problem).map(({ type, loc }) => [type, ...loc])).toEqual([
        ["environment_not_found", "path", "environment"],
        ["variant_not_found", "body", "variant"],
        ["revision_not_found", "body", "revision"],
        ["revision_not_found", "body", "revision"],
      ]);
    });
  });
}
