import { SPAN_KINDS } from "@agate/protocol";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../version.ts";
import { ERROR_TYPES } from "../errors/error-types.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
// biome-ignore lint/suspicious/noExplicitAny: the document's shape is what is tested
let document: any;

beforeAll(async () => {
  platform = await startTestPlatform();
  document = (await platform.get("/openapi.json")).json;
});
afterAll(() => platform.close());

// biome-ignore lint/suspicious/noExplicitAny: as above
function operations(): [path: string, method: string, operation: any][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]): [string, string, unknown] => [
      path,
      method,
      operation,
    ]),
  );
}

describe("the OpenAPI document", () => {
  it("names its version and each operation once", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe(VERSION);
    const ids = operations().map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has the contract's two endpoints, with their 422", () => {
    for (const path of ["/observability/spans/{span_id}/", "/observability/traces/{trace_id}/"]) {
      const { responses } = document.paths[path].get;
      expect(responses[200].content["application/json"].schema.$ref).toMatch(/SpanRecord$/);
      expect(responses[422].content["application/json"].schema.$ref).toMatch(/ErrorBody$/);
    }
  });

  it("describes every parameter in a path, and repeats none", () => {
    for (const [path, , { parameters }] of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = parameters.filter((parameter: { in: string }) => parameter.in === "path");
      expect(described.map(({ name }: { name: string }) => name)).toEqual(inPath);
      const names = parameters.map(({ name }: { name: string }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it("has only schemas that compile, and examples that fit them", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      for (const example of (schema as { examples?: unknown[] }).examples ?? []) {
        expect(validate(example), name).toBe(true);
      }
    }
    const errorBody = ajv.compile({ $ref: "document#/components/schemas/ErrorBody" });
    for (const [, , { responses, parameters }] of operations()) {
      for (const [status, { content }] of Object.entries(responses) as [
        string,
        { content: Record<string, { examples: object }> },
      ][]) {
        if (Number(status) < 400) continue;
        for (const [type, { value }] of Object.entries(
          content["application/json"]?.examples ?? {},
        )) {
          expect(errorBody(value)).toBe(true);
          expect(ERROR_TYPES[type as keyof typeof ERROR_TYPES].status).toBe(Number(status));
        }
      }
      for (const { schema } of parameters) {
        const validate = ajv.compile(schema);
        for (const example of schema.examples ?? []) expect(validate(example)).toBe(true);
      }
    }
  });

  it("can be called with every parameter's own example", async () => {
    for (const [path, method, { parameters }] of operations()) {
      if (method !== "get" || path === "/observability/live/") continue;
      let target = path;
      const query = new URLSearchParams();
      for (const { name, in: place, schema } of parameters) {
        const example = schema.examples?.[0] ?? schema.enum?.[0] ?? schema.default;
        if (place === "path") target = target.replace(`{${name}}`, example);
        else if (example !== undefined) query.set(name, String(example));
      }
      const response = await platform.get(`${target}?${query}`);
      expect([200, 302, 404], target).toContain(response.status);
    }
  });

  it("lists the kinds of spans", () => {
    const { spankind } = document.components.schemas.SpanRecord.properties;
    expect(spankind.enum).toEqual([...SPAN_KINDS]);
  });
});
