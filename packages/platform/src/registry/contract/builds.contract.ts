import type { Build } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { describe, expect, it } from "vitest";
import { KEPT_BUILDS, KEPT_IN_ENVIRONMENT } from "../builds.ts";
import { nestedDocument, summarizeDocument } from "../schema/workflow-document.fixture.ts";
import type { AskedChange, Subject } from "./subject.fixture.ts";
import { done, problem, problems } from "./subject.fixture.ts";

type DeployChange = Extract<AskedChange, { readonly kind: "deploy" }>;

export function describeBuilds(subject: Subject): void {
  describe("builds", () => {
    const begin = () => subject.begin();
    /** Deploys a build that takes a temperature up to a bound. */
    const activate = async (
      { id: build }: Pick<Build, "id">,
      most: number,
      change: Partial<DeployChange> = {},
    ) => {
      const what = { kind: "deploy", build, config: null, configIn: "query" } as const;
      const openapi = await summarizeDocument(most);
      const environmentLoc = ["query", "environment"];
      const request = { environment: "production", ...what, environmentLoc, ...change };
      return subject.change(request, { openapi });
    };
    const statuses = async () =>
      done(await subject.registry.builds.list(subject.app, { limit: 10, before: null })).items.map(
        ({ number, status }) => [number, status],
      );
    const environmentId = async (environment: string) =>
      done(await subject.registry.environments.get(subject.app, environment)).id;

    it("counts builds from 1, and knows where each is live", async () => {
      await subject.freshApplication();
      const first = await subject.begin({
        by: "ann",
        message: "Ship it.",
        size: 1234,
        archiveHash: "ab".repeat(32),
        commit: "9fceb02",
      });
      expect(first).toEqual({
        id: expect.stringMatching(/^bld_/),
        number: 1,
        kind: "hosted",
        status: "starting",
        environments: [],
        created_by: "ann",
        created_at: expect.any(String),
        routes: null,
        size: 1234,
        sdk_version: "0.1.0",
        message: "Ship it.",
        commit: "9fceb02",
        allow: [],
        archive_sha256: "ab".repeat(32),
        manifest_sha256: "",
        refusal: null,
      });
      const { builds, applications } = subject.registry;
      const live = {
        ...first,
        status: "live",
        environments: ["production"],
        routes: ["/summarize"],
      };
      expect(done(await activate(first, 2))).toMatchObject({
        build: live,
        deployment: { environment: "production", variant: { slug: "default", revision: 1 } },
        notes: [],
      });
      expect(done(await builds.get(subject.app, "1"))).toEqual(live);
      expect(done(await builds.get(subject.app, first.id))).toEqual(live);
      expect(done(await applications.get(subject.app))).toMatchObject({
        build: 1,
        routes: ["/summarize"],
      });

      const second = await begin();
      done(await activate(second, 1, { environment: "staging" }));
      expect(done(await applications.get(subject.app)).build).toBe(1);
      done(await activate(second, 1));
      expect(await statuses()).toEqual([
        [2, "live"],
        [1, "retired"],
      ]);
      expect(done(await builds.get(subject.app, "2")).environments).toEqual([
        "staging",
        "production",
      ]);
      expect(done(await applications.schema(subject.app)).routes[0]?.config).toMatchObject({
        temperature: { maximum: 1 },
      });
      // Again the first, and the live one once more.
      done(await activate(first, 2));
      done(await activate(first, 2));
      expect(await statuses()).toEqual([
        [2, "live"],
        [1, "live"],
      ]);
      expect((await applications.list(subject.project))[0]?.build).toBe(1);
    });

    it("writes what servers of earlier releases read: one live build, and its schema", async () => {
      await subject.freshApplication();
      const mirrored = async () => {
        const { id } = done(await subject.registry.applications.get(subject.app));
        const { schema } = await subject.db
          .selectFrom("applications")
          .select("schema")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        const rows = await subject.db
          .selectFrom("builds")
          .select(["number", "status"])
          .where("application_id", "=", id)
          .orderBy("number")
          .execute();
        const [route] = JSON.parse(schema ?? "[]") as { config: { temperature: object } }[];
        return [rows.map(({ status }) => status), route?.config.temperature];
      };
      const most = (maximum: number) => expect.objectContaining({ maximum });
      const [first, second] = [await begin(), await begin()];
      expect(await mirrored()).toEqual([["preparing", "preparing"], undefined]);
      // Nothing is live in the default environment: the newest stands for all.
      done(await activate(first, 1, { environment: "staging" }));
      expect(await mirrored()).toEqual([["live", "preparing"], most(1)]);
      done(await activate(second, 2));
      expect(await mirrored()).toEqual([["retired", "live"], most(2)]);
      done(await activate(first, 1, { environment: "development" }));
      expect(await mirrored()).toEqual([["retired", "live"], most(2)]);
      done(await subject.registry.deployments.takeDown(subject.app, "production"));
      expect(await mirrored()).toEqual([["live", "retired"], most(1)]);
    });

    it("is deployed together with a revision", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1 } });
      const announced = await subject.announcements(async () => {
        const config = { variant: "default", revision: null };
        const change = { by: "bob", message: "With code.", config };
        expect(done(await activate(await begin(), 1, change)).deployment).toMatchObject({
          environment: "production",
          build: { number: 1, kind: "hosted" },
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
      const fresh = { config: { variant: "fresh", revision: null } };
      done(await activate(await begin(), 1, fresh));
      expect(await subject.live("production")).toBe("fresh@1");
      expect(done(await revisions.get(subject.app, "fresh", 1))).toMatchObject({
        params: { "/summarize": { temperature: 0, tone: "plain" } },
        message: "All defaults, made by a deploy.",
      });
      // There already, but without a revision.
      done(await activate(await begin(), 1, { environment: "staging" }));
      expect(await subject.live("staging")).toBe("default@1");
      expect(done(await variants.list(subject.app)).map(({ slug }) => slug)).toEqual([
        "default",
        "fresh",
      ]);
    });

    it("keeps the live revision, and says what the build makes of it", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1, gone: 1 }, "/old": {} }, {});
      const pinned = { config: { variant: "default", revision: 1 } };
      expect(done(await activate(await begin(), 2, pinned)).notes).toEqual([
        { kind: "ignored", route: "/summarize", field: "gone" },
        { kind: "ignored", route: "/old", field: null },
        { kind: "default", route: "/summarize", field: "tone", value: "plain" },
      ]);
      expect(done(await activate(await begin(), 1)).deployment.variant.revision).toBe(1);
    });

    it("checks the configuration of its environment alone, and changes nothing when it is refused", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1.8 } }, {});
      const { deployments, applications, variants } = subject.registry;
      const served = await begin();
      const first = { config: { variant: "default", revision: 1 } };
      done(await activate(served, 2, { ...first, environment: "staging" }));
      done(await activate(served, 2, first));

      const build = await begin();
      const openapi = await summarizeDocument(1);
      const messages = async (change: Partial<DeployChange>) => {
        const announced = await subject.announcements(async () => {
          problems(await activate(build, 1, change));
        });
        expect(announced).toBe(0);
        const what = { kind: "deploy", build: build.id, config: null, configIn: "query" } as const;
        const place = { environment: "production", environmentLoc: [], by: "", message: "" };
        const request = { ...what, ...place, accepts: "compatible", ...change } as const;
        const pinned = done(await deployments.pin(subject.app, request));
        const refusal = await deployments.check(subject.app, pinned, openapi);
        return problems(refusal).map(({ msg }) => msg);
      };
      const misfit =
        "production would run default@1, whose /summarize.temperature is 1.8, and must be 1 or less.";
      expect(await messages({})).toEqual([misfit]);
      expect(await messages(first)).toEqual([misfit]);
      expect(await messages({ environment: "staging" })).toEqual([
        misfit.replace("production", "staging"),
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
      done(await activate(build, 1, { config: { variant: "default", revision: 2 } }));
      expect(await subject.live("staging")).toBe("default@1");
    });

    it("refuses to drop what is in use, unless that is accepted", async () => {
      await subject.freshApplication({}, { "/summarize": { tone: "formal" } });
      const otherRoute = await nestedDocument();
      const dropping = async (change: Partial<DeployChange> = {}, openapi = otherRoute) => {
        const { id: build } = await begin();
        const what = { kind: "deploy", build, config: null, configIn: "query" } as const;
        return subject.change({ environment: "production", ...what, ...change }, { openapi });
      };
      const call = async (environment: string, daysAgo: number) => {
        const row = {
          environment_id: await environmentId(environment),
          route: "/summarize",
          last_called_at: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
        };
        await subject.db.deleteFrom("route_calls").execute();
        await subject.db.insertInto("route_calls").values(row).execute();
      };
      for (const environment of ["development", "staging", "production"]) {
        done(await activate(await begin(), 2, { environment }));
      }
      await call("production", 6.9);
      expect(problem(await dropping())).toMatchObject({
        type: "breaking_change",
        msg: "/summarize was called in production within the last 7 days, and the build has no such route. Allow it if that is intended (--allow-breaking).",
      });
      done(await dropping({ environment: "staging" }));
      await call("production", 7.1);
      done(await dropping());
      await call("development", 0);
      done(await dropping({ environment: "development" }));
      done(await activate(await begin(), 2));
      await call("production", 0);
      done(await dropping({ accepts: "breaking" }));

      // A field that is set to its default, or not at all, is not missed.
      const withoutTone = await summarizeDocument(2, { tones: null });
      const pinned = (revision: number) => ({ config: { variant: "default", revision } });
      done(await activate(await begin(), 2, pinned(1)));
      done(await dropping({}, withoutTone));
      done(await activate(await begin(), 2, pinned(2)));
      expect(problem(await dropping({}, withoutTone))).toMatchObject({
        type: "breaking_change",
        msg: 'production would run a revision that sets /summarize.tone to "formal", and the build has no such field. Allow it if that is intended (--allow-breaking).',
      });
      done(await dropping(pinned(1), withoutTone));
      done(await activate(await begin(), 2, { ...pinned(2), environment: "development" }));
      done(await dropping({ environment: "development" }, withoutTone));
    });

    it("says what of a change or a build is not there", async () => {
      await subject.freshApplication({});
      const build = await begin();
      const pinning = (variant: string, revision: number | null) => ({
        config: { variant, revision },
      });
      const outcomes = [
        await activate(build, 1, { environment: "nowhere" }),
        await activate(build, 1, pinning("default", 2)),
        await activate(build, 1, pinning("none", 1)),
        await activate(build, 1, pinning("No Slug", null)),
        await activate(build, 1, pinning("var_aaaaaaaaaaaaaaaaaaaa", null)),
        await activate({ id: "bld_aaaaaaaaaaaaaaaaaaaa" }, 1),
        await subject.registry.builds.get(subject.app, "2"),
        await subject.registry.builds.get(subject.app, "99999999999"),
      ];
      expect(outcomes.map(problem).map(({ type, loc }) => [type, ...loc])).toEqual([
        ["environment_not_found", "query", "environment"],
        ["revision_not_found", "query", "revision"],
        ["variant_not_found", "query", "variant"],
        ["slug_invalid", "query", "variant"],
        ["variant_not_found", "query", "variant"],
        ["build_not_found", "path", "build"],
        ["build_not_found", "path", "build"],
        ["build_not_found", "path", "build"],
      ]);
    });

    it("refuses one with a reason, but none that has served", async () => {
      await subject.freshApplication();
      const { builds } = subject.registry;
      const [bad, good] = [await begin(), await begin()];
      expect(await builds.refuse(bad.id, "It ended with code 1.\0")).toBe(true);
      done(await activate(good, 1));
      expect(await builds.refuse(good.id, "Too late.")).toBe(false);
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

    it("is found by its archive, once it has served", async () => {
      await subject.freshApplication();
      const { builds } = subject.registry;
      const archiveHash = "cd".repeat(32);
      const [refused, served] = [
        await subject.begin({ archiveHash }),
        await subject.begin({ archiveHash }),
      ];
      await builds.refuse(refused.id, "No.");
      expect(await builds.findByArchive(subject.app, archiveHash)).toBeUndefined();
      done(await activate(served, 1));
      expect(await builds.findByArchive(subject.app, archiveHash)).toMatchObject({
        id: served.id,
        environments: ["production"],
      });
      expect(await builds.findByArchive(subject.app, "ef".repeat(32))).toBeUndefined();
    });

    it("knows what to start again, and what was only being started", async () => {
      await subject.freshApplication();
      const { builds, applications } = subject.registry;
      const { id } = done(await applications.get(subject.app));
      const [live, unfinished] = [await begin(), await begin()];
      const { since } = done(await activate(live, 1));
      expect(await builds.unfinished()).toContainEqual({
        id: unfinished.id,
        leaseKey: unfinished.id,
      });
      await builds.refuse(unfinished.id, "The platform ended.");
      expect((await builds.unfinished()).map((each) => each.id)).not.toContain(unfinished.id);
      const mine = {
        environment: {
          project: subject.project,
          application: { id, slug: "support" },
          id: await environmentId("production"),
          slug: "production",
          isDefault: true,
          number: 3,
          playground: expect.any(Boolean),
        },
        build: done(await builds.get(subject.app, live.id)),
        since,
      };
      expect(await builds.live(id)).toEqual([mine]);
      expect(await builds.live()).toContainEqual(mine);
      expect(await builds.live("app_another")).toEqual([]);
    });

    it("tells a start anew from a change of the configuration", async () => {
      await subject.freshApplication({}, {});
      const build = await begin();
      const first = done(await activate(build, 1)).since;
      const config = { variant: "default", revision: 2 };
      const alone = { kind: "deploy", build: null, config, configIn: "body" } as const;
      const changed = done(await subject.change({ ...alone, environment: "production" }));
      expect(changed).toMatchObject({ since: first, deployment: { variant: { revision: 2 } } });
      const again = done(await activate(build, 1)).since;
      expect(again).not.toBe(first);
      // To the same build: nothing is started.
      const back = { kind: "rollback", deployment: null, parts: "both" } as const;
      done(
        await subject.change({
          ...alone,
          environment: "production",
          config: { ...config, revision: 1 },
        }),
      );
      expect(done(await subject.change({ ...back, environment: "production" })).since).toBe(again);
    });

    it("finds the newest build with eval files, and stores what those declare", async () => {
      await subject.freshApplication();
      const { builds } = subject.registry;
      const newest = async () => done(await builds.newestWithEvals(subject.app))?.number;
      done(await activate(await begin(), 1));
      expect(await newest()).toBeUndefined();
      const some = await subject.begin({ hasEvals: true });
      // It may be refused yet.
      expect(await newest()).toBeUndefined();
      done(await activate(some, 1));
      const without = await begin();
      done(await activate(without, 1));
      await subject.begin({ hasEvals: true });
      expect(await newest()).toBe(some.number);

      expect(await builds.evaluations(without.id)).toEqual({ kind: "none" });
      expect(await builds.evaluations(some.id)).toEqual({ kind: "unread" });
      const evaluation: DeclaredEvaluation = {
        ...{ name: "quality", application: "support", route: "/", testset: [{ inputs: "\u0000" }] },
        ...{
          trials: 1,
          concurrency: 8,
          gate: null,
          scorers: [{ name: "right", version: "ab", kind: "code" }],
        },
      };
      await builds.keepEvaluations(some.id, [evaluation]);
      expect(await builds.evaluations(some.id)).toEqual({
        kind: "read",
        evaluations: [evaluation],
      });
    });

    it("keeps the files of the newest, and of what each environment had last", async () => {
      await subject.freshApplication();
      const { applications, builds } = subject.registry;
      const { id } = done(await applications.get(subject.app));
      const numbersKept = async () => {
        const kept = await builds.kept(id);
        const { items } = done(await builds.list(subject.app, { limit: 100, before: null }));
        return items.filter((build) => kept.has(build.id)).map(({ number }) => number);
      };
      for (let n = 0; n <= KEPT_IN_ENVIRONMENT; n++) done(await activate(await begin(), 1));
      for (let n = 0; n <= KEPT_BUILDS; n++) {
        done(await activate(await begin(), 1, { environment: "staging" }));
      }
      const newest = KEPT_IN_ENVIRONMENT + 1 + KEPT_BUILDS + 1;
      const downFrom = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => from - index);
      expect(await numbersKept()).toEqual([
        ...downFrom(newest, KEPT_BUILDS),
        // The first of production is one too many; so is the first of staging.
        ...downFrom(KEPT_IN_ENVIRONMENT + 1, KEPT_IN_ENVIRONMENT),
      ]);
      const unfinished = await begin();
      const refused = await begin();
      await builds.refuse(refused.id, "No.");
      expect(await numbersKept()).toContain(unfinished.number);
      expect(await numbersKept()).not.toContain(refused.number);
    });
  });
}
