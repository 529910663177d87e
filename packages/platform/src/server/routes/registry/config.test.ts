import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { entityTag, isNamed } from "./config.ts";
import type { TestApplication } from "./testing/registry-client.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
let app: TestApplication;
beforeAll(async () => {
  platform = await startTestPlatform();
  app = await makeApplication(platform, "resolving");
  await app.commit({ "/": { n: 1 } });
  await app.deploy("production");
  await app.commit({ "/": { n: 2 } });
  await app.call("POST", "/variants", { slug: "empty" });
});
afterAll(() => platform.close());

function ask(query: string, ifNoneMatch?: string, method = "GET") {
  return platform.send({
    method,
    path: `${APPLICATIONS}/resolving/config?${query}`,
    ...(ifNoneMatch !== undefined && { headers: { "if-none-match": ifNoneMatch } }),
  });
}

describe("a configuration", () => {
  it("is what is deployed, or a revision of a variant, by slug or id", async () => {
    const { id } = (await app.get("")).json;
    const variant = (await app.get("/variants/default")).json;
    const environment = (await app.get("/environments/production")).json;
    const deployed = {
      application: { id, slug: "resolving" },
      variant: { id: variant.id, slug: "default", revision: 1 },
      environment: "production",
      params: { "/": { n: 1 } },
    };
    expect((await ask("environment=production")).json).toEqual(deployed);
    expect((await ask(`environment=${environment.id}`)).json).toEqual(deployed);
    const byId = await platform.get(`${APPLICATIONS}/${id}/config/?environment=production`);
    expect(byId.json).toEqual(deployed);

    const first = { ...deployed, environment: null };
    const latest = {
      ...first,
      variant: { ...first.variant, revision: 2 },
      params: { "/": { n: 2 } },
    };
    expect((await ask("variant=default")).json).toEqual(latest);
    expect((await ask(`variant=${variant.id}&revision=1`)).json).toEqual(first);
  });

  it.each([
    ["environment=nowhere", "environment_not_found", "environment"],
    ["environment=staging", "deployment_not_found", "environment"],
    ["variant=other", "variant_not_found", "variant"],
    ["variant=empty", "variant_not_found", "variant"],
    ["variant=default&revision=3", "revision_not_found", "revision"],
  ])("is missing: %s", async (query, type, parameter) => {
    expect(faults(await ask(query))).toEqual([404, [type, "query", parameter]]);
  });

  it("that is missing says what to do", async () => {
    expect((await ask("environment=staging")).json.detail[0].msg).toBe(
      "Nothing is deployed to staging of resolving. Deploy a revision: agate deployments create resolving staging default.",
    );
    const nowhere = await platform.get(`${APPLICATIONS}/resolvin/config?environment=production`);
    expect(faults(nowhere)).toEqual([404, ["application_not_found", "path", "app"]]);
    expect(nowhere.json.detail[0].msg).toContain('did you mean "resolving"?');
  });

  it.each([
    ["variant=a…", "text_too_long", "variant"],
    ["", "value_not_allowed", "environment"],
    ["environment=", "value_not_allowed", "environment"],
    ["environment=production&variant=default", "value_not_allowed", "variant"],
    ["environment=production&revision=1", "value_not_allowed", "revision"],
    ["variant=default&revision=one", "number_invalid", "revision"],
    ["variant=default&revision=0", "out_of_range", "revision"],
  ])("is not asked for by %j", async (query, type, parameter) => {
    const sent = query.replace("…", "a".repeat(1000));
    expect(faults(await ask(sent))).toEqual([422, [type, "query", parameter]]);
  });
});

describe("the entity tag of a configuration", () => {
  it("makes the answer to who knows it a 304, however it is written", async () => {
    const known = await ask("environment=production");
    const etag = `${known.headers.etag}`;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(known.headers["cache-control"]).toBe("no-store");
    for (const written of [etag, `W/${etag}`, `"a", ${etag}`, `W/"a,b",W/${etag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await ask("environment=production", written, method);
        expect(answer.status, written).toBe(304);
        expect(answer.body).toHaveLength(0);
        expect(answer.headers).toMatchObject({ etag, "cache-control": "no-store" });
        expect(answer.headers).not.toHaveProperty("content-type");
      }
    }
    for (const other of ['"other"', etag.slice(1, -1), `"a, ${etag.slice(1, -1)}"`, ""]) {
      expect((await ask("environment=production", other)).status, other).toBe(200);
    }
    const gone = await ask("environment=staging", "*");
    expect(gone.status).toBe(404);
  });

  it("is another for every other answer, and the same again for the same", async () => {
    const other = await makeApplication(platform);
    const tagOf = async (query: string) => (await other.get(`/config?${query}`)).headers.etag;
    await other.commit({ "/": { n: 1 } });
    await other.deploy("production");
    await other.deploy("staging");
    const first = await tagOf("environment=production");
    expect(await tagOf("environment=staging")).not.toBe(first);
    expect(await tagOf("variant=default")).not.toBe(first);
    await other.commit({ "/": { n: 2 } });
    expect(await tagOf("environment=production")).toBe(first);
    await other.deploy("production");
    const second = await tagOf("environment=production");
    expect(second).not.toBe(first);
    await other.call("POST", "/environments/production/rollback", {});
    expect(await tagOf("environment=production")).toBe(first);
    await other.call("PATCH", "/variants/default", { slug: "renamed" });
    expect(await tagOf("environment=production")).not.toBe(first);
  });

  it("is found in any list that has it, and in no other", () => {
    const opaque = fc.stringMatching(/^[!#-~]{0,12}$/);
    const tag = fc.tuple(fc.constantFrom("", "W/"), opaque);
    fc.assert(
      fc.property(fc.array(tag), fc.constantFrom(",", ", ", " ,\t"), (tags, comma) => {
        const etag = entityTag("body");
        const list = tags.map(([weak, text]) => `${weak}"${text}"`);
        expect(isNamed(etag, list.join(comma))).toBe(false);
        expect(isNamed(etag, [...list, `W/${etag}`, ...list].join(comma))).toBe(true);
      }),
    );
  });
});
