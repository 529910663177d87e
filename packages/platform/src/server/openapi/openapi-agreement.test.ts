import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

// What the document promises is held against the server in both directions: what a schema allows is
// accepted, and what it forbids is refused. Schemathesis does the same from outside.

let platform: TestPlatform;
// biome-ignore lint/suspicious/noExplicitAny: the document's shape is what is tested
let document: any;
const ajv = new Ajv2020({ strict: false, coerceTypes: true });
addFormats.default(ajv);

beforeAll(async () => {
  platform = await startTestPlatform({ now: () => Date.UTC(2026, 10, 16) });
  document = (await platform.get("/openapi.json")).json;
  ajv.addSchema(document, "document");
  await send("POST", "/registry/applications", { slug: "quickstart" });
  await send("POST", "/registry/testsets", { slug: "golden" });
  await send("POST", "/registry/runs", RUN);
});
afterAll(() => platform.close());

function send(method: string, path: string, body: unknown) {
  const headers = { "content-type": "application/json" };
  return platform.send({ method, path, headers, body: JSON.stringify(body) });
}

const RUN = {
  id: "ci-1",
  application: "quickstart",
  evaluation: "tickets",
  testset: { kind: "inline" },
  scorers: [{ name: "right" }],
  columns: [{ name: "candidate", ref: "default@9" }],
};

/** Texts near the rules of one parameter or another, on both sides of them. */
const TEXTS = [
  "",
  "0",
  "1",
  "-1",
  "1.5",
  "99999999999",
  "5m",
  "05m",
  "5x",
  "OK",
  "nope",
  "earliest",
  "2026-11-15",
  "2026-13-15",
  "1969-12-31",
  "2255-01-01",
  "2026-11-15T10:00:00Z",
  "2026-11-15t10:00+01:00",
  "2026-11-15T24:00:00Z",
  "2026-11-15T10:00:00+24:00",
  "helpful<0.5",
  "Helpful<0.5",
  "helpful:any",
  "helpful:some",
  "a-slug",
  "A Slug",
  "a-slug/b",
  `a/${"b".repeat(65)}`,
  "env_abc/defghijklmnopqrstuvw",
  "é".repeat(1_001),
];

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly allowEmptyValue?: boolean;
  readonly schema: object;
}

describe("a query parameter", () => {
  const PATHS = ["/observability/traces/", "/observability/analytics/scores/", "/registry/runs"];

  it.each(PATHS)("of %s is accepted as its schema says", async (path) => {
    const parameters: Parameter[] = document.paths[path].get.parameters;
    const disagreements: string[] = [];
    for (const { name, allowEmptyValue, schema } of parameters) {
      // A cursor is opaque: only one that the server has given is valid.
      if (name === "cursor") continue;
      const validate = ajv.compile({ type: "object", properties: { [name]: schema } });
      const tried = TEXTS.map(async (text) => {
        const allowed = (text === "" && allowEmptyValue === true) || validate({ [name]: text });
        const response = await platform.get(`${path}?${new URLSearchParams({ [name]: text })}`);
        if ((response.status === 422) === allowed) disagreements.push(`${name}=${text}`);
      });
      await Promise.all(tried);
    }
    expect(disagreements).toEqual([]);
  });
});

describe("a body", () => {
  const PURPOSES: readonly (readonly [method: string, path: string, url: string, valid: object])[] =
    [
      ["post", "/registry/applications", "/registry/applications", { slug: "concise" }],
      ["post", "/registry/testsets", "/registry/testsets", { slug: "concise" }],
      ["post", "/registry/runs", "/registry/runs", { ...RUN, id: null }],
      [
        "post",
        "/registry/runs/{run}/cases",
        "/registry/runs/ci-1/cases",
        { cases: [{ id: "refund", inputs: {} }] },
      ],
      [
        "post",
        "/registry/keys",
        "/registry/keys",
        { name: "ci", scopes: ["read"], environments: ["a/b", "staging"] },
      ],
      [
        "put",
        "/registry/redaction",
        "/registry/redaction",
        { patterns: ["email"], custom: [{ name: "staff", regex: /EMP-\d{6}/.source }] },
      ],
      [
        "post",
        "/observability/scores/",
        "/observability/scores/",
        {
          scores: [
            {
              trace_id: "0af7651916cd43dd8448eb211c80319c",
              name: "helpful",
              value: 1,
              created_at: "2026-11-15T10:00:00Z",
            },
          ],
        },
      ],
    ];

  it.each(PURPOSES)("of %s %s is accepted as its schema says", async (method, path, url, valid) => {
    const validate = bodyOf(path, method);
    expect([validate(structuredClone(valid)), validate.errors]).toEqual([true, null]);
    const disagreements: string[] = [];
    for (const [at, changed] of changes(valid)) {
      // Regular expressions have rules of their own.
      if (at.startsWith(".custom.0.regex")) continue;
      const allowed = validate(structuredClone(changed));
      const { status } = await send(method.toUpperCase(), url, changed);
      if ((status === 422) === allowed) disagreements.push(`${at} (${status})`);
    }
    expect(disagreements).toEqual([]);
  });

  it("of a commit has rows, or changes of rows, and not both", async () => {
    const path = "/registry/testsets/{testset}/revisions";
    const validate = bodyOf(path, "post");
    const row = { inputs: { text: "Hi" } };
    for (const fields of [
      { rows: [row] },
      { upsert: [row] },
      { delete: [] },
      {},
      { rows: [], upsert: [] },
    ]) {
      const allowed = validate({ ...fields, base_revision: 0 });
      const url = "/registry/testsets/golden/revisions";
      const { status } = await send("POST", url, { ...fields, base_revision: 0 });
      expect([fields, status === 422]).toEqual([fields, !allowed]);
    }
  });

  it("of an export may be empty", async () => {
    const lists = { traces: "resourceSpans", logs: "resourceLogs", metrics: "resourceMetrics" };
    for (const [name, list] of Object.entries(lists)) {
      for (const body of [{}, { [list]: null }, { [list]: [] }]) {
        expect([body, bodyOf(`/v1/${name}`, "post")(body)]).toEqual([body, true]);
        expect((await send("POST", `/v1/${name}`, body)).status).toBe(200);
      }
    }
  });

  it("names variables as the server does", async () => {
    const path = "/registry/applications/{app}/environments/{environment}/variables";
    const validate = bodyOf(path, "patch");
    const url = "/registry/applications/quickstart/environments/production/variables";
    for (const name of ["REGION", "", "1A", "a-b", "PORT", "PORTS", "AGATE_X", "A".repeat(129)]) {
      const body = { set: { [name]: { value: "eu", plain: true } } };
      const { status } = await send("PATCH", url, body);
      expect([name, status === 422]).toEqual([name, !validate(body)]);
    }
  });

  function bodyOf(path: string, method: string): ValidateFunction {
    const { schema } = document.paths[path][method].requestBody.content["application/json"];
    return new Ajv2020({ strict: false })
      .addSchema(document, "document")
      .compile(schema.$ref === undefined ? schema : { $ref: `document${schema.$ref}` });
  }
});

/** The value with one of its texts replaced, for every text and every replacement. */
function* changes(value: unknown, path = ""): Generator<readonly [string, unknown]> {
  if (typeof value === "string") {
    for (const text of TEXTS) yield [`${path}=${text}`, text];
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const [at, changed] of changes(inner, `${path}.${key}`)) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[key] = changed;
      yield [at, Array.isArray(value) ? Object.values(copy) : copy];
    }
  }
}

it("names the methods of a path, and no others", async () => {
  for (const [path, methods] of Object.entries(document.paths) as [string, object][]) {
    // Builds answer below /services; no build is here.
    if (path.startsWith("/services/")) continue;
    const target = path.replaceAll(/\{\w+\}/g, "x");
    const { headers } = await platform.send({ method: "OPTIONS", path: target });
    const allowed = headers.allow?.split(", ").filter((method) => method !== "HEAD");
    const documented = Object.keys(methods).map((method) => method.toUpperCase());
    expect([path, allowed?.sort()]).toEqual([path, documented.sort()]);
  }
});

it("documents the answer to a head that is too large", async () => {
  for (const methods of Object.values(document.paths) as object[]) {
    for (const { responses } of Object.values(methods)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["408", "417", "431"]));
    }
  }
});
