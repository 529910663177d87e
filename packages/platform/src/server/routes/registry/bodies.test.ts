import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import type { TestApplication } from "./testing/registry-client.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";

const LIMIT = 4096;
let platform: TestPlatform;
let app: TestApplication;
beforeAll(async () => {
  platform = await startTestPlatform({ maxBodyBytes: LIMIT });
  app = await makeApplication(platform, "bodies");
});
afterAll(() => platform.close());

function post(body: string | Uint8Array, headers: Record<string, string> = {}) {
  return platform.send({
    method: "POST",
    path: APPLICATIONS,
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

describe("a body", () => {
  it.each([
    ["half an object", '{"slug": "a'],
    ["another language", "slug: a"],
    ["what is not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["lists without end", "[".repeat(300) + "]".repeat(300)],
  ])("that is %s is a 400", async (_, body) => {
    expect(faults(await post(body))).toEqual([400, ["body_undecodable", "body"]]);
  });

  it("that is empty is one without fields, with any content type", async () => {
    expect(faults(await post(""))).toEqual(faults(await post("{}")));
  });

  it.each([
    ["null", "null"],
    ["a list", '[{"slug": "a"}]'],
    ["text", '"slug"'],
  ])("that is %s and no object is a 422", async (_, body) => {
    expect(faults(await post(body))).toEqual([422, ["body_invalid", "body"]]);
  });

  it("names every field that is wrong, missing or unknown", async () => {
    const body = '{"params": {}, "base_revision": -1, "message": 7, "__proto__": {}, "extra": 1}';
    const response = await platform.send({
      method: "POST",
      path: `${APPLICATIONS}/bodies/variants/none/revisions`,
      headers: { "content-type": "application/json" },
      body,
    });
    expect(faults(response)).toEqual([
      422,
      ["body_invalid", "body", "base_revision"],
      ["body_invalid", "body", "message"],
      ["body_invalid", "body", "__proto__"],
      ["body_invalid", "body", "extra"],
    ]);
    expect(response.json.detail[0].msg).toBe("Must be a whole number, 0 or more (got -1).");
    expect(faults(await post("{}"))).toEqual([422, ["body_invalid", "body", "slug"]]);
    expect(faults(await post('{"slug": null}'))).toEqual([422, ["body_invalid", "body", "slug"]]);
  });

  it("counts the last of a field that is there twice", async () => {
    expect((await post('{"slug": "first", "slug": "second"}')).json.slug).toBe("second");
  });

  it("may begin with a byte order mark and say its character set", async () => {
    const type = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await post('\ufeff{"slug": "marked"}', type)).status).toBe(201);
  });

  it("may be left out where every field may", async () => {
    const path = `${APPLICATIONS}/bodies/environments/staging/rollback`;
    const bare = await platform.send({ method: "POST", path });
    expect(faults(bare)).toEqual([404, ["deployment_not_found", "body", "deployment"]]);
    const missing = await platform.send({ method: "POST", path: APPLICATIONS });
    expect(faults(missing)).toEqual([422, ["body_invalid", "body", "slug"]]);
  });

  it("takes null for what is left out", async () => {
    await app.commit({});
    await app.deploy("staging");
    const body = { variant: "default", revision: null, message: null };
    const made = await app.call("POST", "/environments/staging/deployments", body);
    expect(made.json).toMatchObject({ variant: { revision: 1 }, message: "" });
  });

  it("of another type or encoding is a 415", async () => {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", ""]) {
      expect(faults(await post('{"slug": "a"}', { "content-type": type }))).toEqual([
        415,
        ["content_type_unsupported", "header", "content-type"],
      ]);
    }
    const zipped = await post(gzipSync('{"slug": "a"}'), { "content-encoding": "gzip" });
    expect(faults(zipped)).toEqual([
      415,
      ["content_encoding_unsupported", "header", "content-encoding"],
    ]);
  });

  it("over the limit is a 413, whether it says its length or not", async () => {
    const body = JSON.stringify({ slug: "a".repeat(LIMIT) });
    expect(faults(await post(body))).toEqual([413, ["body_too_large", "body"]]);
    expect(faults(await post(body, { "transfer-encoding": "chunked" }))).toEqual([
      413,
      ["body_too_large", "body"],
    ]);
  });
});
