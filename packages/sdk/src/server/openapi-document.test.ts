import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { App } from "../app/app.ts";
import { KnownConfig, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import {
  bool,
  Field,
  float,
  GroupedMultipleChoice,
  int,
  MultipleChoice,
  str,
} from "../config/field.ts";
import { modelOf, randomConfig } from "../config/random-config.fixture.ts";

class EveryKind extends BaseModel {
  prompt = Field(str, { default: "Say:" });
  temperature = Field(float, { default: 0.7, ge: 0, lt: 2 });
  words = Field(int, { default: 3, gt: -1, le: 100 });
  loud = Field(bool, { default: false });
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
  model = Field(GroupedMultipleChoice({ choices: { a: ["a-1"], b: ["b-1"] } }), { default: "a-1" });
}

class NoConfig extends BaseModel {}

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape.
type Document = any;

async function documentOf(app: App): Promise<Document> {
  const answer = await app.fetch(new Request("http://workflow.test/openapi.json"));
  expect(answer.status).toBe(200);
  return answer.json();
}

function bodySchemaOf(document: Document, path: string): Document {
  return document.paths[path].post.requestBody.content["application/json"].schema;
}

/** Checks values by a schema of a document, as its readers do. */
function validator(document: Document, path: string) {
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  ajv.addSchema({ $id: "http://workflow.test/openapi.json", ...document });
  const pointer = `/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/post/requestBody/content/application~1json/schema`;
  return ajv.compile({ $ref: `http://workflow.test/openapi.json#${encodeURI(pointer)}` });
}

/** The parts of OpenAPI 3.1 that the document uses, by the words of the specification. */
const reference = z.strictObject({ $ref: z.string() });
const metaschema = new Ajv2020({ strict: false });
const jsonSchema = z.custom(
  (value) => metaschema.validateSchema(value as object) === true,
  "is not JSON Schema 2020-12",
);
const media = z.record(z.string(), z.strictObject({ schema: z.union([reference, jsonSchema]) }));
const operation = z.strictObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  "x-ag-route": z.string().optional(),
  "x-ag-endpoint": z.enum(["playground", "deployed"]).optional(),
  "x-ag-timeout": z.number().positive().optional(),
  requestBody: z.strictObject({ required: z.boolean(), content: media }).optional(),
  responses: z.record(
    z.string().regex(/^(?:[1-5]\d\d|default)$/),
    z.strictObject({
      description: z.string(),
      headers: z.record(z.string(), z.strictObject({ schema: jsonSchema })).optional(),
      content: media.optional(),
    }),
  ),
});
const openapi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string(), version: z.string() }),
  paths: z.record(
    z.string().startsWith("/"),
    z.strictObject({ get: operation.optional(), post: operation.optional() }),
  ),
  components: z.strictObject({ schemas: z.record(z.string(), jsonSchema) }),
});

interface Tree {
  name: string;
  below: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get below() {
    return z.array(tree);
  },
});

function everythingApp(): App {
  const app = createApp({
    application: "every kind",
    configSource: new KnownConfig({}),
    onWarning: () => {},
  });
  app.entrypoint(EveryKind)(() => null);
  app.route("/a/b", { config: EveryKind, description: "Nested.", timeout: 1 })(() => null);
  app.route("/a_b", EveryKind)(() => null);
  app.route("/zod", { config: NoConfig, input: z.object({ n: z.number() }), output: z.string() })(
    () => "",
  );
  app.route("/tree", { config: NoConfig, input: tree, output: z.object({ tree }) })((input) => ({
    tree: input,
  }));
  app.route("/forest", { config: NoConfig, input: z.object({ trees: z.array(tree) }) })(() => null);
  app.route("/valibot", { config: NoConfig, input: v.object({ n: v.number() }) })(() => null);
  app.route("/arktype", { config: NoConfig, input: type({ n: "number" }) })(() => null);
  app.route("/tell", { config: NoConfig, stream: z.string() })(async function* () {
    yield "";
  });
  app.route("/date", { config: NoConfig, input: z.object({ at: z.date() }) })(() => null);
  return app;
}

function throwing(thrown: unknown): never {
  throw typeof thrown === "string" ? new Error(thrown) : thrown;
}

/** What a schema library has for JSON Schema: a converter for each side. */
function converting(write: () => unknown): object {
  return { jsonSchema: { input: write, output: write } };
}

/** A schema that takes anything, of a library with these properties. */
function schemaWith(library: object): StandardSchemaV1 {
  const standard = { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) };
  const described = Object.getOwnPropertyDescriptors(library);
  return { "~standard": Object.defineProperties(standard, described) } as StandardSchemaV1;
}

describe("GET /openapi.json", () => {
  it("is OpenAPI 3.1, with operations of different names", async () => {
    const document = await documentOf(everythingApp());
    expect(openapi.safeParse(document).error).toBeUndefined();
    const operations = Object.values<Document>(document.paths).flatMap(Object.values);
    const ids = (operations as Document[]).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        "/health",
        "/openapi.json",
        "/generate",
        "/playground/run",
        "/run",
        "/generate_deployed",
        "/playground/run/a/b",
        "/run/a/b",
      ]),
    );
  });

  it("has the control, the bounds and the default of every kind of field", async () => {
    const document = await documentOf(everythingApp());
    expect(bodySchemaOf(document, "/generate").properties.config).toMatchObject({
      additionalProperties: false,
      properties: {
        prompt: { type: "string", default: "Say:", "x-ag-control": "text-area" },
        temperature: {
          type: "number",
          minimum: 0,
          exclusiveMaximum: 2,
          default: 0.7,
          "x-ag-control": "slider",
        },
        words: {
          type: "integer",
          exclusiveMinimum: -1,
          maximum: 100,
          default: 3,
          "x-ag-control": "slider",
        },
        loud: { type: "boolean", default: false, "x-ag-control": "checkbox" },
        tone: { enum: ["plain", "formal"], default: "plain", "x-ag-control": "dropdown" },
        model: {
          enum: ["a-1", "b-1"],
          default: "a-1",
          "x-ag-control": "grouped-dropdown",
          "x-ag-groups": { a: ["a-1"], b: ["b-1"] },
        },
      },
    });
  });

  it.each(["/zod", "/valibot", "/arktype"])("has the inputs of %s", async (path) => {
    const document = await documentOf(everythingApp());
    const check = validator(document, `/playground/run${path}`);
    const { inputs } = bodySchemaOf(document, `/playground/run${path}`).properties;
    // Valibot's own JSON Schema is in a package of its own: without it, anything may be sent.
    if (path !== "/valibot") expect(inputs).toMatchObject({ type: "object" });
    expect(check({ inputs: { n: 1 } })).toBe(true);
    if (path !== "/valibot") expect(check({ inputs: { n: "one" } })).toBe(false);
  });

  it.each([
    ["/tree", (value: unknown) => value],
    ["/forest", (value: unknown) => ({ trees: [value] })],
  ])("has inputs that contain themselves: %s", async (path, around) => {
    const document = await documentOf(everythingApp());
    const fine = { name: "a", below: [{ name: "b", below: [] }] };
    const bad = { name: "a", below: [{ name: "b", below: [{ name: 3, below: [] }] }] };
    for (const endpoint of ["/playground/run", "/run"]) {
      const check = validator(document, `${endpoint}${path}`);
      expect(check({ inputs: around(fine) })).toBe(true);
      expect(check({ inputs: around(bad) })).toBe(false);
    }
  });

  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic.properties = { itself: cyclic };
  it.each<[string, object, string]>([
    ["throws", converting(() => throwing("No way.\nAt all.")), "No way."],
    [
      "throws nothing that can be shown",
      converting(() => throwing(Object.create(null))),
      "no readable message.",
    ],
    ["writes a cycle", converting(() => cyclic), "circular structure"],
    ["writes what JSON has not", converting(() => ({ default: 1n })), "BigInt"],
    ["writes nothing", converting(() => undefined), "wrote undefined, which is no schema."],
    ["writes a list", converting(() => [1]), "wrote [1], which is no schema."],
    ["has no converter for this side", { jsonSchema: {} }, "not a function"],
    [
      "cannot be asked",
      {
        get jsonSchema() {
          return throwing("Not here.");
        },
      },
      "Not here.",
    ],
  ])("stays whole where a schema library %s", async (_what, library, reason) => {
    const warned: string[] = [];
    const app = createApp({ onWarning: (sentence) => warned.push(sentence) });
    const broken = schemaWith(library);
    app.route("/fine", { config: EveryKind, input: z.object({ n: z.number() }) })(() => null);
    app.route("/broken", { config: EveryKind, input: broken, output: broken })(() => null);
    app.route("/tell", { config: EveryKind, stream: broken })(function* () {});

    const document = await documentOf(app);
    expect(openapi.safeParse(document).error).toBeUndefined();
    expect(bodySchemaOf(document, "/run/fine").properties.inputs.required).toEqual(["n"]);
    const { config, inputs } = bodySchemaOf(document, "/playground/run/broken").properties;
    expect(Object.keys(config.properties)).toContain("temperature");
    expect(inputs).toEqual({ description: expect.stringContaining(reason) });
    expect(validator(document, "/playground/run/broken")({ inputs: ["anything"] })).toBe(true);
    expect((await post(app, "/playground/run/broken", { inputs: 1 })).status).toBe(200);

    await documentOf(app);
    expect(warned).toEqual(
      [
        "input schema of the route /broken",
        "output schema of the route /broken",
        "stream schema of the route /tell",
      ].map((which) => expect.stringMatching(`^The ${which} has no JSON Schema: .*/openapi.json`)),
    );
    expect(warned[0]).toContain(reason);
  });

  it("is served where what is told of a broken schema throws", async () => {
    const app = createApp({ onWarning: () => throwing("The log is full.") });
    const input = schemaWith(converting(() => throwing("No way.")));
    app.route("/broken", { config: NoConfig, input })(() => null);
    expect(Object.keys((await documentOf(app)).paths)).toContain("/run/broken");
  });

  it("shows what a function destructures where its route has no input schema", async () => {
    const app = createApp();
    app.route(
      "/shown",
      NoConfig,
    )(({ text, limit = 5 }: { text: string; limit?: number }) => {
      return text.slice(0, limit);
    });
    app.route("/hidden", NoConfig)((input: object) => input);
    app.route("/described", { config: NoConfig, input: z.object({ a: z.string() }) })(({ a }) => a);
    const document = await documentOf(app);
    const inputs = (path: string) => bodySchemaOf(document, path).properties.inputs;
    expect(inputs("/playground/run/shown")).toEqual({ examples: [{ text: "", limit: 5 }] });
    expect(inputs("/run/shown")).toEqual({ examples: [{ text: "", limit: 5 }] });
    expect(inputs("/playground/run/hidden")).toEqual({});
    expect(inputs("/playground/run/described")).not.toHaveProperty("examples");
  });

  it("takes a configuration exactly where the playground does", async () => {
    await fc.assert(
      fc.asyncProperty(randomConfig, async ({ fields, values }) => {
        // The validator leaves out properties of this name, for its own safety.
        fc.pre(fields.every(({ name }) => name !== "__proto__"));
        // Whole numbers that JavaScript cannot hold are refused. The schema keeps to the bounds that
        // were declared: it is what sliders are made from.
        fc.pre(!JSON.stringify(values).includes(String(2 ** 53)));
        const app = createApp();
        app.route("/any", modelOf(fields, "defined"))(() => null);
        const check = validator(await documentOf(app), "/playground/run/any");
        const body = { config: values };
        const { status } = await post(app, "/playground/run/any", body);
        expect([200, 422]).toContain(status);
        const isValid = check(JSON.parse(JSON.stringify(body)));
        const about = JSON.stringify([fields.map(({ name }) => name), values, check.errors]);
        expect(isValid, about).toBe(status === 200);
      }),
      { numRuns: 40 },
    );
  });

  it("takes the rest of a body exactly where the endpoints do", async () => {
    const app = createApp({ configSource: new KnownConfig({}) });
    app.route("/any", NoConfig)(() => null);
    const document = await documentOf(app);
    const checks = {
      "/playground/run/any": validator(document, "/playground/run/any"),
      "/run/any": validator(document, "/run/any"),
    };
    const path = fc.constantFrom("/playground/run/any" as const, "/run/any" as const);
    const slug = fc.constantFrom<unknown>("production", "", 7, null);
    const body = fc.oneof(
      fc.record(
        {
          config: fc.constantFrom<unknown>({}, [], null, { other: 1 }),
          inputs: fc.jsonValue(),
          environment: slug,
          variant: fc.oneof(
            slug,
            fc.record(
              { slug, revision: fc.constantFrom<unknown>(1, 0, -1, 1.5, "1", null), more: slug },
              { requiredKeys: [] },
            ),
          ),
          __proto__: fc.constant(1),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(path, body, async (at, value) => {
        const text = JSON.stringify(value);
        const { status } = await post(app, at, text);
        expect(checks[at](JSON.parse(text))).toBe(status !== 422);
      }),
      { numRuns: 150 },
    );
  });
});
