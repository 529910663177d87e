import { describe, expect, it } from "vitest";
import { z } from "zod";
import { nestedDocument, summarizeDocument } from "../schema/workflow-document.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, done, problem, problems } from "./subject.fixture.ts";

export function describeSchema(subject: Subject): void {
  describe("schemas", () => {
    const register = (openapi: unknown, environment: string | null = null) =>
      subject.registry.applications.putSchema(subject.app, openapi, { environment, by: "tests" });
    const put = async (most: number, environment: string | null = null) =>
      register(await summarizeDocument(most), environment);

    it("keeps what a workflow tells of its routes", async () => {
      await subject.freshApplication();
      const { applications } = subject.registry;
      expect(problem(await applications.schema(subject.app)).type).toBe("schema_not_found");
      const schema = done(await put(2));
      expect(schema.routes.map(({ route }) => route)).toEqual(["/summarize"]);
      expect(done(await applications.schema(subject.app)).routes).toEqual(schema.routes);
      expect(done(await applications.get(subject.app)).routes).toEqual(["/summarize"]);
      expect(problem(await register({ paths: {} }))).toMatchObject({
        type: "schema_invalid",
        loc: ["body"],
      });
      expect(done(await applications.schema(subject.app)).routes).toEqual(schema.routes);
    });

    it("registers a workflow that runs elsewhere as the code of one environment", async () => {
      await subject.freshApplication();
      const { applications, builds, revisions } = subject.registry;
      done(await put(2, "staging"));
      // Nothing is live in the default environment: the newest stands for the application.
      done(await applications.schema(subject.app));
      expect(problem(await applications.schema(subject.app, "production")).type).toBe(
        "schema_not_found",
      );
      expect(problem(await applications.schema(subject.app, "nowhere"))).toMatchObject({
        type: "environment_not_found",
        loc: ["query", "environment"],
      });
      expect(problem(await put(2, "nowhere")).loc).toEqual(["query", "environment"]);
      expect(await subject.live("staging")).toBe("default@1");
      expect(done(await revisions.get(subject.app, "default", 1)).params).toEqual({
        "/summarize": { temperature: 0, tone: "plain" },
      });
      const numbers = async () =>
        done(await builds.list(subject.app, { limit: 10, before: null })).items.map((build) => [
          build.number,
          build.kind,
          build.environments,
        ]);
      expect(await numbers()).toEqual([[1, "external", ["staging"]]]);
      // The same schema is the same build; another is another.
      done(await put(2, "staging"));
      done(await put(2, "production"));
      done(await put(1, "staging"));
      expect(await numbers()).toEqual([
        [2, "external", ["staging"]],
        [1, "external", ["production"]],
      ]);
      const most = async (environment: string | null) =>
        done(await applications.schema(subject.app, environment)).routes[0]?.config.temperature
          ?.maximum;
      expect(await Promise.all([null, "staging", "production"].map(most))).toEqual([2, 1, 2]);
      const page = { limit: 10, before: null };
      const history = await subject.registry.deployments.list(subject.app, "staging", page);
      expect(done(history).items).toHaveLength(2);
      // There is nothing to start.
      const { id } = done(await applications.get(subject.app));
      expect(await builds.live(id)).toEqual([]);
    });

    it("is not taken from elsewhere while the platform runs a build there", async () => {
      await subject.freshApplication({});
      done(await subject.deploy("production", "default"));
      expect(problem(await put(2))).toMatchObject({
        type: "still_live",
        msg: "production runs build 1 on this platform. Take that down first, or deploy the workflow.",
      });
      done(await put(2, "staging"));
    });

    it("completes a commit with the defaults of the code, which later code does not change", async () => {
      await subject.freshApplication({});
      done(await put(2));
      await subject.commit("default", { "/summarize": { temperature: 1.5 } });
      expect(done(await subject.registry.revisions.get(subject.app, "default", 2)).params).toEqual({
        "/summarize": { temperature: 1.5, tone: "plain" },
      });
      const diff = (from: number, to: number) =>
        subject.registry.revisions.diff(
          subject.app,
          { kind: "variant", variant: "default", revision: from },
          { kind: "variant", variant: "default", revision: to },
        );
      // Revision 1 sets nothing, so that it goes by the code.
      expect(done(await diff(1, 2)).routes).toEqual([
        {
          route: "/summarize",
          fields: [{ field: "temperature", change: "changed", from: 0, to: 1.5 }],
        },
      ]);
    });

    it("checks a commit against the environment that it names", async () => {
      await subject.freshApplication({});
      done(await put(2, "production"));
      done(await put(1, "staging"));
      const commit = (environment: string | null, baseRevision: number) =>
        subject.registry.revisions.commit(subject.app, "default", {
          ...BY_TESTS,
          params: { "/summarize": { temperature: 1.5 } },
          baseRevision,
          environment,
        });
      expect(problem(await commit("staging", 1)).msg).toBe("Must be 1 or less (got 1.5).");
      expect(problem(await commit("nowhere", 1)).loc).toEqual(["body", "environment"]);
      done(await commit("production", 1));
      done(await commit(null, 2));
    });

    it("refuses a commit that the schema forbids, one problem for each field", async () => {
      await subject.freshApplication({});
      done(await put(2));
      const params = { "/summarize": { temperature: 3, tone: "rude", lenght: 1 }, "/sum": {} };
      const commit = { ...BY_TESTS, params, baseRevision: 1 };
      expect(
        problems(await subject.registry.revisions.commit(subject.app, "default", commit)),
      ).toEqual([
        {
          type: "params_invalid",
          loc: ["body", "params", "/summarize", "temperature"],
          msg: "Must be 2 or less (got 3).",
        },
        {
          type: "params_invalid",
          loc: ["body", "params", "/summarize", "tone"],
          msg: 'Must be "plain" or "formal" (got "rude").',
        },
        {
          type: "params_invalid",
          loc: ["body", "params", "/summarize", "lenght"],
          msg: 'There is no such field. Write "temperature" or "tone".',
        },
        {
          type: "params_invalid",
          loc: ["body", "params", "/sum"],
          msg: 'There is no such route. Write only "/summarize".',
        },
      ]);
      expect(done(await subject.registry.variants.get(subject.app, "default"))).toMatchObject({
        latest_revision: 1,
      });
    });

    it("is not taken while what is live there does not fit, and names each value", async () => {
      await subject.freshApplication({}, { "/summarize": { temperature: 1.8, tone: "formal" } });
      done(await put(2));
      done(await put(2, "staging"));
      done(await subject.deploy("staging", "default", 2));
      done(await subject.deploy("production", "default", 2));
      const { applications } = subject.registry;
      const next = await summarizeDocument(1, { tones: ["plain"] });
      // Staging is another environment: only the target is asked.
      done(await subject.deploy("staging", "default", 1));
      done(await register(next, "staging"));
      expect(problems(await register(next))).toEqual(
        [
          "/summarize.temperature is 1.8, and must be 1 or less.",
          '/summarize.tone is "formal", and must be "plain".',
        ].map((what) => ({
          type: "config_invalid",
          loc: [],
          msg: `production would run default@2, whose ${what}`,
        })),
      );
      expect(done(await applications.schema(subject.app)).routes[0]?.config).toMatchObject({
        temperature: { maximum: 2 },
      });
      done(await subject.deploy("production", "default", 1));
      done(await register(next));
    });

    it("holds nested configurations: kept as they are, checked to the item of a list, and against new code", async () => {
      const params = {
        "/search": { retrieval: { weights: [0.5, 1] }, examples: [{ input: "a" }], style: null },
      };
      await subject.freshApplication({});
      const { revisions } = subject.registry;
      done(await register(await nestedDocument()));
      const wrong = {
        "/search": { retrieval: { weights: [0.5, 2], depth: 1 }, examples: [{ output: "" }] },
      };
      const commit = { ...BY_TESTS, baseRevision: 1 };
      const refusal = await revisions.commit(subject.app, "default", { ...commit, params: wrong });
      expect(problems(refusal).map(({ loc }) => loc.slice(2))).toEqual([
        ["/search", "retrieval", "weights", 1],
        ["/search", "retrieval", "depth"],
        ["/search", "examples", 0, "input"],
        ["/search", "examples", 0, "output"],
      ]);
      done(await revisions.commit(subject.app, "default", { ...commit, params }));
      done(await subject.deploy("production", "default"));
      const which = { kind: "environment", environment: "production" } as const;
      expect(done(await subject.registry.resolve(subject.app, which)).params).toEqual(params);

      // New code may add fields with a default anywhere, and others only where none is live.
      const grown = await nestedDocument({ deep: z.object({ on: z.boolean().default(true) }) });
      done(await register(grown));
      const demanding = await nestedDocument({}, { output: z.string() });
      expect(problem(await register(demanding)).msg).toBe(
        "production would run default@2, whose /search.examples[0].output is missing: it has no default.",
      );
    });

    it("is taken from `agate dev` whatever is live there, with a configuration that sets nothing", async () => {
      await subject.freshApplication();
      const { applications, revisions } = subject.registry;
      const options = { environment: "development", by: "dev", isDevelopment: true };
      const follow = async (most: number) =>
        applications.putSchema(subject.app, await summarizeDocument(most), options);
      done(await follow(2));
      expect(done(await revisions.get(subject.app, "default", 1)).params).toEqual({});
      await subject.commit("default", { "/summarize": { temperature: 1.8 } });
      done(await subject.deploy("development", "default"));
      done(await follow(1));
      expect(await subject.live("development")).toBe("default@2");
    });

    it("lets be what is live for routes and fields that it no longer has", async () => {
      await subject.freshApplication({ "/gone": { a: 1 }, "/summarize": { gone: 2 } });
      done(await put(1));
      done(await put(1, "staging"));
      expect(await subject.live("staging")).toBe("default@1");
    });

    it("keeps a revision that does not fit from going live", async () => {
      await subject.freshApplication({}, { "/summarize": { temperature: 1.8 } });
      done(await put(2));
      done(await put(2, "staging"));
      done(await subject.deploy("staging", "default", 2));
      const second = done(await subject.deploy("production", "default", 2));
      done(await subject.deploy("production", "default", 1));
      done(await put(1));
      const msg =
        "production would run default@2, whose /summarize.temperature is 1.8, and must be 1 or less.";
      const environment = "production";
      const config = { variant: "default", revision: 2 };
      const outcomes = [
        await subject.change({
          kind: "deploy",
          environment,
          build: null,
          config,
          configIn: "body",
        }),
        await subject.change({
          kind: "promotion",
          environment,
          from: "staging",
          parts: "config",
          expect: null,
        }),
        await subject.change({
          kind: "rollback",
          environment,
          deployment: second.id,
          parts: "config",
        }),
      ];
      expect(outcomes.map(problem)).toEqual(
        [
          ["body", "variant"],
          ["body", "from"],
          ["body", "deployment"],
        ].map((loc) => ({ type: "config_invalid", loc, msg })),
      );
      expect(await subject.live("production")).toBe("default@1");
      // Together with its own code it fits.
      const both = { kind: "rollback", environment, deployment: second.id, parts: "both" } as const;
      done(await subject.change(both));
    });
  });
}
