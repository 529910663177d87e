import { describe, expect, it } from "vitest";
import { z } from "zod";
import { nestedDocument, summarizeDocument } from "../schema/workflow-document.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { BY_TESTS, done, problem, problems } from "./subject.fixture.ts";

export function describeSchema(subject: Subject): void {
  describe("schemas", () => {
    const put = async (most: number, options?: { force: boolean }) =>
      subject.registry.applications.putSchema(subject.app, await summarizeDocument(most), options);

    it("keeps what a workflow tells of its routes", async () => {
      await subject.freshApplication();
      const { applications } = subject.registry;
      expect(problem(await applications.schema(subject.app)).type).toBe("schema_not_found");
      const schema = done(await put(2));
      expect(schema.routes.map(({ route }) => route)).toEqual(["/summarize"]);
      expect(done(await applications.schema(subject.app))).toEqual(schema);
      expect(done(await applications.get(subject.app)).routes).toEqual(["/summarize"]);
      expect(problem(await applications.putSchema(subject.app, { paths: {} }))).toMatchObject({
        type: "schema_invalid",
        loc: ["body"],
      });
      expect(done(await applications.schema(subject.app))).toEqual(schema);
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

    it("is not taken while something live does not fit, and names each value", async () => {
      await subject.freshApplication(
        { "/summarize": { temperature: 1.8, tone: "formal" } },
        { "/summarize": { temperature: 0.5 } },
      );
      done(await put(2));
      done(await subject.deploy("staging", "default", 1));
      done(await subject.deploy("production", "default", 1));
      const { applications } = subject.registry;
      const next = await summarizeDocument(1, { tones: ["plain"] });
      const expected = ["staging", "production"].flatMap((environment) => [
        {
          type: "config_invalid",
          loc: [],
          msg: `${environment} runs default@1, whose /summarize.temperature is 1.8, and must be 1 or less.`,
        },
        {
          type: "config_invalid",
          loc: [],
          msg: `${environment} runs default@1, whose /summarize.tone is "formal", and must be "plain".`,
        },
      ]);
      expect(problems(await applications.checkSchema(subject.app, next))).toEqual(expected);
      expect(problems(await applications.putSchema(subject.app, next))).toEqual(expected);
      expect(done(await applications.schema(subject.app)).routes[0]?.config).toMatchObject({
        temperature: { maximum: 2 },
      });

      done(await subject.deploy("staging", "default", 2));
      done(await subject.deploy("production", "default", 2));
      done(await applications.checkSchema(subject.app, next));
      done(await applications.putSchema(subject.app, next));
    });

    it("holds nested configurations: kept as they are, checked to the item of a list, and against new code", async () => {
      const params = {
        "/search": { retrieval: { weights: [0.5, 1] }, examples: [{ input: "a" }], style: null },
      };
      await subject.freshApplication({});
      const { applications, revisions } = subject.registry;
      done(await applications.putSchema(subject.app, await nestedDocument()));
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
      done(await applications.checkSchema(subject.app, grown));
      const demanding = await nestedDocument({}, { output: z.string() });
      expect(problem(await applications.checkSchema(subject.app, demanding)).msg).toBe(
        "production runs default@2, whose /search.examples[0].output is missing: it has no default.",
      );
    });

    it("is taken by force all the same", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1.8 } });
      done(await subject.deploy("production", "default"));
      expect(problems(await put(1))).toHaveLength(1);
      done(await put(1, { force: true }));
      expect(await subject.live("production")).toBe("default@1");
    });

    it("lets be what is live for routes and fields that it no longer has", async () => {
      await subject.freshApplication({ "/gone": { a: 1 }, "/summarize": { gone: 2 } });
      done(await subject.deploy("production", "default"));
      done(await put(1));
      done(await subject.deploy("staging", "default"));
    });

    it("keeps a revision that does not fit from going live anywhere", async () => {
      await subject.freshApplication({ "/summarize": { temperature: 1.8 } }, {});
      const first = done(await subject.deploy("production", "default", 1));
      done(await subject.deploy("staging", "default", 1));
      done(await subject.deploy("production", "default", 2));
      done(await put(1, { force: true }));
      const { deployments } = subject.registry;
      const msg =
        "production would run default@1, whose /summarize.temperature is 1.8, and must be 1 or less.";
      expect(problem(await subject.deploy("production", "default", 1))).toEqual({
        type: "config_invalid",
        loc: ["body", "variant"],
        msg,
      });
      expect(
        problem(
          await deployments.promote(subject.app, "production", { ...BY_TESTS, from: "staging" }),
        ),
      ).toEqual({ type: "config_invalid", loc: ["body", "from"], msg });
      const back = { ...BY_TESTS, deployment: first.id };
      expect(problem(await deployments.rollBack(subject.app, "production", back))).toEqual({
        type: "config_invalid",
        loc: ["body", "deployment"],
        msg,
      });
      expect(await subject.live("production")).toBe("default@2");
    });
  });
}
