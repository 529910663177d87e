import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import {
  APPLICATIONS,
  faults,
  makeApplication,
  sendJson,
} from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

function post(body: unknown) {
  return sendJson(platform, "POST", APPLICATIONS, body);
}

describe("an application", () => {
  it("is made with three environments, and found by slug and by id, where Location says", async () => {
    const made = await post({ slug: "support" });
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`${APPLICATIONS}/support`);
    expect(made.json).toMatchObject({ slug: "support", routes: null, build: null });
    for (const name of ["support", made.json.id]) {
      expect((await platform.get(`${APPLICATIONS}/${name}`)).json).toEqual(made.json);
    }
    const { items } = (await platform.get(`${APPLICATIONS}/support/environments`)).json;
    expect(items.map(({ slug }: { slug: string }) => slug)).toEqual([
      "development",
      "staging",
      "production",
    ]);
    expect((await platform.get(APPLICATIONS)).json.items).toContainEqual(made.json);
  });

  it("keeps its id and all it has when it is renamed", async () => {
    const app = await makeApplication(platform, "before");
    const { id } = (await app.get("")).json;
    await app.commit({});
    const renamed = await app.call("PATCH", "", { slug: "after" });
    expect(renamed.json).toMatchObject({ id, slug: "after" });
    expect((await platform.get(`${APPLICATIONS}/after/variants/default`)).status).toBe(200);
    expect(faults(await app.get(""))).toEqual([404, ["application_not_found", "path", "app"]]);
    expect((await platform.get(`${APPLICATIONS}/${id}`)).json.slug).toBe("after");
  });

  it("is deleted once nothing of it is live", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    await app.deploy("production");
    const refused = await app.call("DELETE", "");
    expect(faults(refused)).toEqual([409, ["still_live", "path", "app"]]);
    expect(refused.json.detail[0].msg).toContain("production");
    await app.call("DELETE", "/environments/production/deployment");
    expect((await app.call("DELETE", "")).status).toBe(204);
    expect((await app.call("DELETE", "")).status).toBe(404);
  });

  it("does not take a slug that another has, nor one that is none", async () => {
    const { slug } = await makeApplication(platform);
    expect(faults(await post({ slug }))).toEqual([409, ["slug_taken", "body", "slug"]]);
    const other = await makeApplication(platform);
    expect(faults(await other.call("PATCH", "", { slug }))).toEqual([
      409,
      ["slug_taken", "body", "slug"],
    ]);
    for (const wrong of ["", "Support", "a--b", "-a", "a/b", "app_aaaaaaaaaaaaaaaaaaaa"]) {
      expect(faults(await post({ slug: wrong }))).toEqual([422, ["slug_invalid", "body", "slug"]]);
    }
  });

  it("is found by any spelling of its path", async () => {
    const { slug } = await makeApplication(platform, "sp.elt_out");
    for (const spelled of [slug, `${slug}/`, "sp%2Eelt%5Fout", "sp%2eelt_out/"]) {
      expect((await platform.get(`${APPLICATIONS}/${spelled}`)).status, spelled).toBe(200);
    }
    expect((await platform.get(`${APPLICATIONS}/`)).status).toBe(200);
    expect((await platform.send({ method: "HEAD", path: `${APPLICATIONS}/${slug}` })).status).toBe(
      200,
    );
  });

  it.each([
    "__proto__",
    "constructor",
    "a%2Fb",
    "a%00b",
    "%F0%9F%98%80",
    "%zz",
    "..%2f..%2fetc",
    "a…",
  ])("is missing where nothing is called %j", async (name) => {
    const sent = name.replace("…", "a".repeat(2000));
    const response = await platform.get(`${APPLICATIONS}/${sent}/variants`);
    expect(faults(response)).toEqual([404, ["application_not_found", "path", "app"]]);
  });

  it("does not take other methods", async () => {
    const response = await platform.send({ method: "PUT", path: `${APPLICATIONS}/support` });
    expect(response.status).toBe(405);
    expect(response.headers.allow?.split(", ").toSorted()).toEqual([
      "DELETE",
      "GET",
      "HEAD",
      "PATCH",
    ]);
  });
});
