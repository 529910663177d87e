import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, makeApplication } from "./testing/registry-client.fixture.ts";
import { workflowOpenapi } from "./testing/workflow-openapi.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** Numbers up to 2. */
function workflowFields(names: readonly string[]) {
  const field = { type: "number", default: 0, minimum: 0, maximum: 2, "x-ag-control": "slider" };
  return Object.fromEntries(names.map((name) => [name, field]));
}

describe("the schema of an application", () => {
  it("is unknown until a workflow tells it", async () => {
    const app = await makeApplication(platform);
    expect(faults(await app.get("/schema"))).toEqual([404, ["schema_not_found", "path", "app"]]);
    const told = await app.call("PUT", "/schema", workflowOpenapi());
    expect(told.status).toBe(200);
    expect(told.json.routes).toMatchObject([
      {
        route: "/summarize",
        config: { temperature: { type: "number", default: 0.7, minimum: 0, maximum: 2 } },
        inputs: { properties: { text: { type: "string" } } },
      },
    ]);
    expect((await app.get("/schema/")).json).toEqual(told.json);
    expect((await app.get("")).json.routes).toEqual(["/summarize"]);
  });

  it("is told with a key that is limited to environments for these alone", async () => {
    const app = await makeApplication(platform);
    const limits: [environments: string[], statuses: number[]][] = [
      [["staging"], [200, 403, 403, 404]],
      [["production"], [403, 200, 200, 404]],
      [["elsewhere/production"], [403, 403, 403, 404]],
    ];
    for (const [environments, statuses] of limits) {
      const { key } = await platform.access.keys.create("default", {
        name: "ci",
        scopes: ["admin"],
        environments,
      });
      const put = (query: string) =>
        platform.send({
          method: "PUT",
          path: `/registry/applications/${app.slug}/schema${query}`,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(workflowOpenapi()),
        });
      const queries = ["?environment=staging", "?environment=production", "", "?environment=moon"];
      const answers = await Promise.all(queries.map(put));
      expect(answers.map(({ status }) => status)).toEqual(statuses);
      for (const { status, json } of answers) {
        if (status === 403) expect(json.detail[0].type).toBe("environment_not_allowed");
      }
    }
    expect((await app.get("/schema?environment=staging")).status).toBe(200);
    expect((await app.get("/schema?environment=development")).status).toBe(404);
  });

  it("is refused while a live value does not fit, and names each", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/summarize": { temperature: 9, top_p: 9 } });
    await app.deploy("staging");
    const before = (await app.get("/schema?environment=staging")).json;
    const fields = workflowFields(["temperature", "top_p"]);
    const put = (query: string) => app.call("PUT", `/schema${query}`, workflowOpenapi(fields));
    const refused = await put("?environment=staging");
    expect(refused.status).toBe(409);
    const detail: { type: string; msg: string }[] = refused.json.detail;
    expect(detail.map(({ type }) => type)).toEqual(["config_invalid", "config_invalid"]);
    expect(detail.map(({ msg }) => msg).join("\n")).toMatch(
      /staging .*temperature is 9.*staging .*top_p is 9/s,
    );
    expect((await app.get("/schema?environment=staging")).json).toEqual(before);
    // Where nothing is live, the latest of `default` would be.
    expect((await put("")).status).toBe(409);
    await app.commit({ "/summarize": { temperature: 1, top_p: 1 } });
    // What does not fit elsewhere is of no account.
    expect((await put("")).status).toBe(200);
    expect((await app.get("/schema?environment=staging")).json).toEqual(before);
    expect((await app.get("/schema")).json.routes[0].config.temperature.maximum).toBe(2);
  });

  it.each([
    ["nothing", undefined],
    ["a list", []],
    ["another document", { openapi: "3.1.0", paths: {} }],
    ["a field without a type", workflowOpenapi({ temperature: { default: 1 } })],
  ])("is not %s", async (_, document) => {
    const app = await makeApplication(platform);
    const refused = await app.call("PUT", "/schema", document);
    expect(refused.status).toBe(422);
    expect(refused.json.detail).toMatchObject([{ type: "schema_invalid" }]);
    expect(refused.json.detail[0].msg).toContain("GET /openapi.json");
  });

  it("is not what is no JSON", async () => {
    const app = await makeApplication(platform);
    const path = `/registry/applications/${app.slug}/schema`;
    const text = await platform.send({ method: "PUT", path, body: "openapi: 3.1.0" });
    expect(text.status).toBe(415);
    const headers = { "content-type": "application/json" };
    const yaml = await platform.send({ method: "PUT", path, headers, body: "openapi: 3.1.0" });
    expect(faults(yaml)).toEqual([400, ["body_undecodable", "body"]]);
  });
});
