import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../../../sdk/src/app/create-app.ts";
import { BaseModel } from "../../../../sdk/src/config/base-model.ts";
import { compileConfig } from "../../../../sdk/src/config/compile-config.ts";
import { configJsonSchema } from "../../../../sdk/src/config/config-json-schema.ts";
import { modelOf, randomConfig } from "../../../../sdk/src/config/random-config.fixture.ts";
import { randomNestedConfig } from "../../../../sdk/src/config/random-nested-config.fixture.ts";
import { checkParams } from "./check-params.ts";
import { readOpenapiSchema } from "./read-openapi-schema.ts";
import { documentOf, summarizeDocument } from "./workflow-document.fixture.ts";

class NoConfig extends BaseModel {}

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

function routesOf(document: unknown) {
  const reading = readOpenapiSchema(document);
  if (reading.kind === "invalid") throw new Error(reading.reason);
  return reading.routes;
}

function reasonOf(document: unknown): string {
  const reading = readOpenapiSchema(document);
  if (reading.kind !== "invalid") throw new Error("The document was taken");
  expect(reading.reason).toMatch(
    /^This is not the document of a workflow: .* Send what the workflow itself answers at GET \/openapi\.json\.$/,
  );
  return reading.reason;
}

describe("readOpenapiSchema", () => {
  it("knows every route once, the entrypoint as /", async () => {
    const app = createApp();
    app.entrypoint(NoConfig)(() => null);
    app.route("/a/b", NoConfig)(() => null);
    app.route("/c", NoConfig)(() => null);
    expect(routesOf(await documentOf(app)).map(({ route }) => route)).toEqual(["/", "/a/b", "/c"]);
  });

  it("knows the same of a workflow that serves no playground", async () => {
    await fc.assert(
      fc.asyncProperty(randomConfig, async ({ fields }) => {
        const model = modelOf(fields, "defined");
        const [withIt, without] = [true, false].map((playground) => {
          const app = createApp({ playground });
          app.entrypoint(NoConfig)(() => null);
          app.route("/r", { config: model, input: z.object({ text: z.string() }) })(() => null);
          return app;
        });
        expect(routesOf(await documentOf(without!))).toEqual(routesOf(await documentOf(withIt!)));
      }),
      { numRuns: 20 },
    );
  });

  it("keeps every field of a configuration as the SDK writes it", async () => {
    await fc.assert(
      fc.asyncProperty(randomConfig, async ({ fields }) => {
        const model = modelOf(fields, "defined");
        const app = createApp();
        app.route("/r", model)(() => null);
        const [route] = routesOf(await documentOf(app));
        const { properties } = configJsonSchema(compileConfig(model));
        expect(route?.config).toEqual(JSON.parse(JSON.stringify(properties)));
      }),
      { numRuns: 50 },
    );
  });

  it("keeps every field of a nested configuration as the SDK writes it, and checks values alike", async () => {
    await fc.assert(
      fc.asyncProperty(randomNestedConfig({ odd: true }), async ({ schema, values }) => {
        const app = createApp();
        app.route("/r", schema as unknown as typeof NoConfig)(() => null);
        const [route] = routesOf(await documentOf(app));
        const compiled = compileConfig(schema as unknown as typeof NoConfig);
        const { properties } = configJsonSchema(compiled);
        expect(route?.config).toEqual(JSON.parse(JSON.stringify(properties)));
        const outcome = await compiled.parse(values, { unknownFields: "refuse" });
        const checked = checkParams({ "/r": values }, [route!]);
        expect(checked.kind).toBe(outcome.kind);
        if (outcome.kind === "invalid" && checked.kind === "invalid") {
          expect(checked.faults.map(({ path, msg }) => [path.slice(1), msg])).toEqual(
            outcome.issues.map(({ path, message }) => [path, message]),
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  it("makes inputs that refer to components stand alone", async () => {
    const app = createApp();
    app.route("/tree", { config: NoConfig, input: tree })(() => null);
    app.route("/forest", { config: NoConfig, input: z.object({ trees: z.array(tree) }) })(
      () => null,
    );
    const [one, many] = routesOf(await documentOf(app));
    const fine = { name: "a", below: [{ name: "b", below: [] }] };
    const bad = { name: "a", below: [{ name: "b", below: [{ name: 3, below: [] }] }] };
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validate(one?.inputs ?? {}, fine)).toBe(true);
    expect(ajv.validate(one?.inputs ?? {}, bad)).toBe(false);
    expect(ajv.validate(many?.inputs ?? {}, { trees: [fine] })).toBe(true);
    expect(ajv.validate(many?.inputs ?? {}, { trees: [bad] })).toBe(false);
  });

  it("leaves data that looks like a reference alone, and finds those in properties of any name", async () => {
    const document = await withInputs({
      $defs: { A: { type: "number" } },
      properties: {
        default: { $ref: "#/components/schemas/A" },
        own: { $ref: "#/$defs/A" },
        data: { const: { $ref: "#/components/schemas/A" } },
      },
      default: { $ref: "#/components/schemas/Missing" },
    });
    Object.assign(document, { components: { schemas: { A: { type: "string" } } } });
    expect(routesOf(document)[0]?.inputs).toEqual({
      $defs: { A: { type: "number" }, A_2: { type: "string" } },
      properties: {
        default: { $ref: "#/$defs/A_2" },
        own: { $ref: "#/$defs/A" },
        data: { const: { $ref: "#/components/schemas/A" } },
      },
      default: { $ref: "#/components/schemas/Missing" },
    });
  });

  it.each([
    [null, '["paths"] should be an object'],
    ["openapi", '["paths"] should be an object'],
    [{ openapi: "3.1.0", paths: [] }, '["paths"] should be an object'],
    [
      { openapi: "3.1.0", paths: { "/pets": { get: {}, post: { operationId: "pet" } } } },
      '["paths"] should be an object of operations, some with "x-ag-route" and "x-ag-endpoint"',
    ],
  ])("refuses %j", (document, expected) => {
    expect(reasonOf(document)).toContain(expected);
  });

  it("says where a document is wrong", async () => {
    const missing = await withInputs({ $ref: "#/components/schemas/__proto__" });
    expect(reasonOf(missing)).toContain(
      '["components"]["schemas"]["__proto__"] should be a JSON Schema, as a route refers to it',
    );
    const field = async (schema: unknown) =>
      reasonOf(await withConfig({ properties: { temperature: schema } }));
    expect(await field({ default: 1, "x-ag-control": "slider" })).toContain(
      '["temperature"]["type"] should be string or integer or number or boolean or object or array',
    );
    expect(await field({ type: "number", default: 1 })).toContain(
      '["temperature"]["x-ag-control"] should be there',
    );
    expect(
      await field({
        type: ["object", "null"],
        "x-ag-control": "group",
        properties: { a: { type: "array", "x-ag-control": "list", items: { type: "date" } } },
      }),
    ).toContain('["temperature"]["properties"]["a"]["items"]["type"] should be string or');
    expect(
      await field({ type: "number", default: 1, "x-ag-control": "slider", maximum: "2" }),
    ).toContain('["temperature"]["maximum"] should be a number');
    expect(reasonOf(await withConfig({ type: "object" }))).toContain(
      '["config"]["properties"] should be an object',
    );
  });

  it("survives any other JSON, however deep", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    expect(reasonOf({ paths: deep })).toContain("it should be nested 200 levels deep at most");
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        expect(readOpenapiSchema(document).kind).toBe("invalid");
      }),
    );
  });
});

// biome-ignore lint/suspicious/noExplicitAny: tests bend documents of any shape.
type Document = any;

async function withBody(properties: Record<string, unknown>): Promise<Document> {
  const document: Document = await summarizeDocument(1);
  const { content } = document.paths["/playground/run/summarize"].post.requestBody;
  Object.assign(content["application/json"].schema.properties, properties);
  return document;
}

function withInputs(inputs: unknown): Promise<Document> {
  return withBody({ inputs });
}

function withConfig(config: unknown): Promise<Document> {
  return withBody({ config });
}
