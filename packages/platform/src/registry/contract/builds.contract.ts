import type { Build } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import type { DeployTarget } from "../registry.ts";
import { summarizeDocument } from "../schema/workflow-document.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, done, problem, problems } from "./subject.fixture.ts";

export function describeBuilds(subject: Subject): void {
  describe("builds", () => {
    const begin = async (): Promise<Build> =>
      done(
        await subject.registry.builds.begin(subject.app, {
          by: "ann",
          message: "Ship it.",
          size: 1234,
          sdkVersion: "0.1.0",
          allow: [],
          manifestHash: "",
        }),
      );
    const target = (
      environment: string,
      variant: string,
      revision: number | null = null,
    ): DeployTarget => ({ ...BY_TESTS, environment, variant, revision });
    const activate = async (build: Build, most: number, what: DeployTarget | null = null) =>
      subject.registry.builds.activate(subject.app, build.id, await summarizeDocument(most), what);
    const statuses = async () =>
      done(await subject.registry.builds.list(subject.app, { limit: 10, before: null })).items.map(
        ({ number, status }) => [number, status],
      );

    it("counts builds from 1, and one of them is live", async () => {
      await subject.freshApplication();
      const first = await begin();
      expect(first).toEqual({
        id: expect.stringMatching(/^bld_/),
        number: 1,
        status: "starting",
        created_by: "ann",
        created_at: expect.any(String),
        routes: null,
        size: 1234,
        sdk_version: "0.1.0",
        message: "Ship it.",
        allow: [],
        manifest_sha256: "",
        refusal: null,
      });
      const { builds, applications } = subject.registry;
      const live = { ...first, status: "live", routes: ["/summarize"] };
      expect(done(await activate(first, 2))).toEqual({
        build: live,
        deployment: null,
        since: expect.any(String),
      });
      expect(done(await builds.get(subject.app, "1"))).toEqual(live);
      expect(done(await builds.get(subject.app, first.id))).toEqual(live);
      expect(done(await applications.get(subject.app))).toMatchObject({
        build: 1,
        routes: ["/summarize"],
      });

      const second = await begin();
      done(await activate(second, 1));
      expect(await statuses()).toEqual([
        [2, "live"],
        [1, "retired"],
      ]);
      expect(done(await applications.schema(subject.app)).routes[0]?.config).toMatchObject({
        temperature: { maximum: 1 },
      });
      // Again the first, and the live one once more.
      done(await activate(first, 2));
      done(await activate(first, 2));
      expect(await statuses()).toEqual([
        [2, "retired"],
        [1, "live"],
      ]);
      expect((await applications.list(subject.project))[0]?.build).toBe(1);
    });

    it("retires the live one", async () => {
      await subject.freshApplication();
      const { builds, applications } = subject.registry;
      expect(problem(await builds.retire(subject.app)).type).toBe("build_not_found");
      const build = await begin();
      done(await activate(build, 1));
      expect(problem(await applications.delete(subject.app)).msg).toBe(
        "Build 1 serves it. Stop that first.",
      );
      expect(done(await builds.retire(subject.app))).toMatchObject({
        number: 1,
        status: "retired",
      });
      expect(done(await applications.get(subject.app)).build).toBeNull();
      done(await applications.delete(subject.app));
    });

    it("goes live together with a deployment", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1 } });
      const announced = await subject.announcements(async () => {
        const what = { ...target("production", "default"), by: "bob", message: "With code." };
        expect(done(await activate(await begin(), 1, what)).deployment).toMatchObject({
          environment: "production",
          variant: { slug: "default", revision: 1 },
          kind: "deploy",
          deployed_by: "bob",
          message: "With code.",
        });
      });
      expect(announced).toBe(1);
      expect(await subject.live("production")).toBe("default@1");
    });

    it("makes the variant that it is deployed with, with all defaults", async () => {
      await subject.freshApplication();
      const { variants, revisions } = subject.registry;
      done(await activate(await begin(), 1, target("production", "fresh")));
      expect(await subject.live("production")).toBe("fresh@1");
      expect(done(await revisions.get(subject.app, "fresh", 1))).toMatchObject({
        params: {},
        message: "All defaults, made by a deploy.",
      });
      // There already, but without a revision.
      done(await activate(await begin(), 1, target("staging", "default")));
      expect(await subject.live("staging")).toBe("default@1");
      expect(done(await variants.list(subject.app)).map(({ slug }) => slug)).toEqual([
        "default",
        "fresh",
      ]);
    });

    it("checks all that would be live with it, and changes nothing when it is refused", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1.8 } }, {});
      const { builds, applications, variants } = subject.registry;
      const served = await begin();
      done(await activate(served, 2));
      done(await subject.deploy("staging", "default", 1));
      done(await subject.deploy("production", "default", 1));

      const build = await begin();
      const document = await summarizeDocument(1);
      const staging =
        "staging runs default@1, whose /summarize.temperature is 1.8, and must be 1 or less.";
      const messages = async (what: DeployTarget | null) => {
        const announced = await subject.announcements(async () => {
          const refusal = await builds.activate(subject.app, build.id, document, what);
          expect(await builds.check(subject.app, document, what)).toEqual(refusal);
        });
        expect(announced).toBe(0);
        const refusal = await builds.check(subject.app, document, what);
        return problems(refusal).map(({ msg }) => msg);
      };
      expect(await messages(null)).toEqual([staging, staging.replace("staging", "production")]);
      // What the target replaces need not fit; what it brings must.
      expect(await messages(target("production", "default", 2))).toEqual([staging]);
      expect(await messages(target("production", "made-up"))).toEqual([staging]);
      expect(await messages(target("production", "default", 1))).toEqual([
        "production would run default@1, whose /summarize.temperature is 1.8, and must be 1 or less.",
        staging,
      ]);

      expect(await statuses()).toEqual([
        [2, "starting"],
        [1, "live"],
      ]);
      expect(problem(await variants.get(subject.app, "made-up")).type).toBe("variant_not_found");
      expect(done(await applications.schema(subject.app)).routes[0]?.config).toMatchObject({
        temperature: { maximum: 2 },
      });
      expect(await subject.live("production")).toBe("default@1");

      done(await subject.deploy("staging", "default", 2));
      const plan = target("production", "default", 2);
      expect(done(await builds.check(subject.app, document, plan)).routes).toHaveLength(1);
      done(await builds.activate(subject.app, build.id, document, plan));
    });

    it("says what of a target or a build is not there", async () => {
      await subject.freshApplication({});
      const build = await begin();
      const outcomes = [
        await activate(build, 1, target("nowhere", "default")),
        await activate(build, 1, target("production", "default", 2)),
        await activate(build, 1, target("production", "none", 1)),
        await activate(build, 1, target("production", "No Slug")),
        await activate(build, 1, target("production", "var_aaaaaaaaaaaaaaaaaaaa")),
        await subject.registry.builds.activate(subject.app, build.id, {}, null),
        await activate({ ...build, id: "bld_aaaaaaaaaaaaaaaaaaaa" }, 1),
        await subject.registry.builds.get(subject.app, "2"),
        await subject.registry.builds.get(subject.app, "99999999999"),
      ];
      expect(outcomes.map(problem).map(({ type, loc }) => [type, ...loc])).toEqual([
        ["environment_not_found", "query", "environment"],
        ["revision_not_found", "query", "revision"],
        ["variant_not_found", "query", "variant"],
        ["slug_invalid", "query", "variant"],
        ["variant_not_found", "query", "variant"],
        ["schema_invalid", "body"],
        ["build_not_found", "path", "build"],
        ["build_not_found", "path", "build"],
        ["build_not_found", "path", "build"],
      ]);
    });

    it("refuses one with a reason, but none that has served", async () => {
      await subject.freshApplication();
      const { builds } = subject.registry;
      const [bad, good] = [await begin(), await begin()];
      await builds.refuse(bad.id, "It ended with code 1.\0");
      done(await activate(good, 1));
      await builds.refuse(good.id, "Too late.");
      expect(problem(await activate(bad, 1))).toEqual({
        type: "build_unusable",
        loc: ["path", "build"],
        msg: "Build 1 was refused, and can no longer be activated. Deploy it again.",
      });
      expect(done(await builds.get(subject.app, bad.id))).toMatchObject({
        status: "refused",
        refusal: "It ended with code 1.",
      });
      expect(done(await builds.get(subject.app, good.id))).toMatchObject({
        status: "live",
        refusal: null,
      });
    });

    it("knows what to start again, and gives up on what was only being started", async () => {
      await subject.freshApplication();
      const { builds } = subject.registry;
      const { id } = done(await subject.registry.applications.get(subject.app));
      const [live, unfinished] = [await begin(), await begin()];
      const { since } = done(await activate(live, 1));
      expect(await builds.unfinished()).toContain(id);
      expect(await builds.refuseUnfinished([], "Nothing.")).toEqual([]);
      expect(await builds.refuseUnfinished(["app_another"], "Another.")).toEqual([]);
      expect(await builds.refuseUnfinished([id], "The platform ended.")).toEqual([unfinished.id]);
      expect(await builds.refuseUnfinished([id], "The platform ended.")).toEqual([]);
      expect(await builds.unfinished()).not.toContain(id);
      expect(done(await builds.get(subject.app, unfinished.id))).toMatchObject({
        status: "refused",
        refusal: "The platform ended.",
      });
      const mine = {
        project: subject.project,
        application: { id, slug: "support" },
        build: done(await builds.get(subject.app, live.id)),
        since,
      };
      expect(await builds.live(id)).toEqual([mine]);
      expect(await builds.live()).toContainEqual(mine);
      expect(await builds.live("app_another")).toEqual([]);
    });

    it("tells an activation from the one before, of the same build too", async () => {
      await subject.freshApplication();
      const { id } = done(await subject.registry.applications.get(subject.app));
      const build = await begin();
      const first = done(await activate(build, 1)).since;
      const second = done(await activate(build, 1)).since;
      expect(second).not.toBe(first);
      expect(await subject.registry.builds.live(id)).toMatchObject([{ since: second }]);
    });
  });
}
