import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";
import { workflowOpenapi } from "./testing/workflow-openapi.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const ALL = "/variants/default/revisions";

describe("a revision", () => {
  it("is committed on top of the latest, and never changes", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/summarize": { temperature: 0.7 } });
    const body = {
      params: { "/summarize": { temperature: 0.2 } },
      base_revision: 1,
      message: "Less creative",
    };
    const made = await app.call("POST", ALL, body);
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`${APPLICATIONS}/${app.slug}${ALL}/2`);
    expect(made.json).toMatchObject({
      variant: { slug: "default", revision: 2 },
      params: body.params,
      message: "Less creative",
      created_by: "local",
      environments: [],
    });
    for (const name of ["2", "latest", "2/"]) {
      expect((await app.get(`${ALL}/${name}`)).json).toEqual(made.json);
    }
    expect((await app.get(`${ALL}/1`)).json.params["/summarize"]).toEqual({ temperature: 0.7 });
  });

  it("is committed once where two are made from the same", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    const commit = (tone: string) =>
      app.call("POST", ALL, { params: { "/": { tone } }, base_revision: 1 });
    const answers = await Promise.all(["a", "b", "c", "d"].map(commit));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const stale = answers.find(({ status }) => status === 409);
    expect(stale && faults(stale)).toEqual([409, ["revision_stale", "body", "base_revision"]]);
    expect((await app.get("/variants/default")).json.latest_revision).toBe(2);
  });

  it("keeps every value a configuration may hold, under any name", async () => {
    const app = await makeApplication(platform);
    await app.call("POST", "/variants", { slug: "default" });
    const params =
      '{"/":{"__proto__":{"isAdmin":true},"constructor":"c","deep":[{"a":null}],"":"😀\\u0000"},"/__proto__":{}}';
    const made = await platform.send({
      method: "POST",
      path: `${APPLICATIONS}/${app.slug}${ALL}`,
      headers: { "content-type": "application/json" },
      body: `{"params":${params},"base_revision":0}`,
    });
    expect(made.status).toBe(201);
    const config = await app.get("/config?variant=default");
    expect(config.body.toString()).toContain(`"params":${params}`);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it("is refused where the schema forbids a value, with route, field, bound and value", async () => {
    const app = await makeApplication(platform);
    await app.call("PUT", "/schema", workflowOpenapi());
    const refused = await app.call("POST", ALL, {
      params: { "/summarize": { temperature: 3, tone: "loud" }, "/nowhere": {} },
      base_revision: 1,
    });
    expect(faults(refused)).toEqual([
      422,
      ["params_invalid", "body", "params", "/summarize", "temperature"],
      ["params_invalid", "body", "params", "/summarize", "tone"],
      ["params_invalid", "body", "params", "/nowhere"],
    ]);
    expect(refused.json.detail[0].msg).toMatch(/2 or less \(got 3\)\.$/);
    expect((await app.get("/variants/default")).json.latest_revision).toBe(1);
  });

  it("is refused where params is no object of objects", async () => {
    const app = await makeApplication(platform);
    await app.call("POST", "/variants", { slug: "default" });
    for (const params of [null, [], "text"]) {
      const refused = await app.call("POST", ALL, { params, base_revision: 0 });
      expect(faults(refused)).toEqual([422, ["params_invalid", "body", "params"]]);
    }
    expect(faults(await app.call("POST", ALL, { params: { "/": 1 }, base_revision: 0 }))).toEqual([
      422,
      ["params_invalid", "body", "params", "/"],
    ]);
  });

  it("is missing, or no number at all", async () => {
    const app = await makeApplication(platform);
    await app.call("POST", "/variants", { slug: "default" });
    const at = ["path", "revision"];
    expect(faults(await app.get(`${ALL}/latest`))).toEqual([404, ["revision_not_found", ...at]]);
    await app.commit({});
    expect(faults(await app.get(`${ALL}/2`))).toEqual([404, ["revision_not_found", ...at]]);
    for (const name of ["one", "1.5", "-1", "1e3"]) {
      expect(faults(await app.get(`${ALL}/${name}`))).toEqual([422, ["number_invalid", ...at]]);
    }
    for (const name of ["0", "99999999999999999999"]) {
      expect(faults(await app.get(`${ALL}/${name}`))).toEqual([422, ["out_of_range", ...at]]);
    }
    expect(faults(await app.get("/variants/other/revisions/1"))).toEqual([
      404,
      ["variant_not_found", "path", "variant"],
    ]);
  });

  it("is listed newest first, page by page, without its parameters", async () => {
    const app = await makeApplication(platform);
    for (let n = 0; n < 5; n++) await app.commit({ "/": { n } });
    await app.deploy("production");
    const numbers: number[] = [];
    let cursor = "";
    do {
      const page = (await app.get(`${ALL}?limit=2&cursor=${cursor}`)).json;
      numbers.push(...page.items.map((item: Listed) => item.variant.revision));
      cursor = page.next_cursor ?? "";
    } while (cursor !== "");
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
    const [newest] = (await app.get(`${ALL}?limit=1`)).json.items;
    expect(newest).toMatchObject({ environments: ["production"] });
    expect(newest).not.toHaveProperty("params");
  });

  it("is listed with a good limit and the list's own cursor only", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    await app.commit({});
    await app.deploy("production");
    await app.deploy("production");
    const { next_cursor: foreign } = (await app.get("/deployments?limit=1")).json;
    expect(foreign).not.toBeNull();
    for (const cursor of [foreign, "nonsense", "cjEuMA", "cjEuMDE"]) {
      expect(faults(await app.get(`${ALL}?limit=0&cursor=${cursor}`))).toEqual([
        422,
        ["out_of_range", "query", "limit"],
        ["cursor_invalid", "query", "cursor"],
      ]);
    }
  });
});

interface Listed {
  readonly variant: { readonly revision: number };
}
