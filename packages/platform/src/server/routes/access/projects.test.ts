import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "../registry/testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const PROJECTS = "/registry/projects";
const send = (method: string, path: string, body?: unknown) =>
  sendJson(platform, method, path, body);

async function makeProject(slug: string) {
  const response = await send("POST", PROJECTS, { slug });
  expect(response.status, response.body.toString()).toBe(201);
  return response.json;
}

describe("projects", () => {
  it("begin with the default one", async () => {
    expect((await platform.get(PROJECTS)).json.items).toMatchObject([
      { id: "default", slug: "default" },
    ]);
  });

  it("are made, found by slug and id, renamed and deleted", async () => {
    const made = await makeProject("search");
    expect(made).toMatchObject({ id: expect.stringMatching(/^prj_[a-z2-7]{20}$/), slug: "search" });
    for (const name of ["search", made.id]) {
      expect((await platform.get(`${PROJECTS}/${name}`)).json).toEqual(made);
    }
    const renamed = await send("PATCH", `${PROJECTS}/search`, { slug: "find" });
    expect(renamed.json).toEqual({ ...made, slug: "find" });
    expect(faults(await platform.get(`${PROJECTS}/search`))).toEqual([
      404,
      ["project_not_found", "path", "project"],
    ]);
    expect((await send("DELETE", `${PROJECTS}/${made.id}`)).status).toBe(204);
    expect((await platform.get(`${PROJECTS}/find`)).status).toBe(404);
  });

  it.each([
    [{}, 422, "body_invalid", "slug"],
    [{ slug: 1 }, 422, "body_invalid", "slug"],
    [{ slug: "x", id: "prj_1" }, 422, "body_invalid", "id"],
    [{ slug: "Not A Slug" }, 422, "slug_invalid", "slug"],
    [{ slug: "default" }, 409, "slug_taken", "slug"],
  ])("are not made of %j", async (body, status, type, field) => {
    for (const [method, path] of [
      ["POST", PROJECTS],
      ["PATCH", `${PROJECTS}/${(await makeProject(`p-${crypto.randomUUID()}`)).slug}`],
    ] as const) {
      expect(faults(await send(method, path, body))).toEqual([status, [type, "body", field]]);
    }
  });

  it("can be chosen by a header as soon as they are there, under their present name", async () => {
    const { id } = await makeProject("one");
    const keysOf = async (project: string) =>
      platform.send({ path: "/registry/keys", headers: { "agate-project": project } });
    expect((await keysOf("one")).status).toBe(200);
    expect((await keysOf(id)).status).toBe(200);
    await send("PATCH", `${PROJECTS}/one`, { slug: "two" });
    expect(faults(await keysOf("one"))).toEqual([
      404,
      ["project_not_found", "header", "agate-project"],
    ]);
    expect((await keysOf("two")).status).toBe(200);
    await send("DELETE", `${PROJECTS}/two`);
    expect((await keysOf(id)).status).toBe(404);
  });
});

describe("a project that is deleted", () => {
  it("takes its keys along", async () => {
    const { id } = await makeProject("gone");
    const { key } = await platform.access.keys.create(id, { name: "ci", scopes: ["read"] });
    const request = { path: "/observability/traces/", headers: { authorization: `Bearer ${key}` } };
    expect((await platform.send(request)).status).toBe(200);
    expect((await send("DELETE", `${PROJECTS}/gone`)).status).toBe(204);
    expect(faults(await platform.send(request))).toEqual([
      401,
      ["key_invalid", "header", "authorization"],
    ]);
  });

  it("gets no key from a server that has not heard of it yet", async () => {
    const { id } = await makeProject("unheard");
    await platform.registry.projects.delete(id);
    const body = JSON.stringify({ name: "ci", scopes: ["read"] });
    const headers = { "agate-project": id, "content-type": "application/json" };
    const response = await platform.send({ method: "POST", path: "/registry/keys", headers, body });
    expect(faults(response)).toEqual([404, ["project_not_found", "header", "agate-project"]]);
  });

  it("has no traces", async () => {
    const { id } = await makeProject("recorded");
    const span = storedSpan({ traceId: traceIdOf(5), id: spanIdOf(5) });
    await platform.store.append({ project: id, receivedAt: 1, spans: [span] });
    expect(faults(await send("DELETE", `${PROJECTS}/recorded`))).toEqual([
      409,
      ["not_empty", "path", "project"],
    ]);
    const headers = { "agate-project": "recorded" };
    const path = `/observability/traces/${traceIdOf(5)}/`;
    expect((await platform.send({ method: "DELETE", path, headers })).status).toBe(204);
    expect((await send("DELETE", `${PROJECTS}/recorded`)).status).toBe(204);
  });

  it("has no applications, and is not the default one", async () => {
    const { id } = await makeProject("busy");
    await platform.registry.applications.create(id, "app");
    for (const name of ["busy", "default"]) {
      expect(faults(await send("DELETE", `${PROJECTS}/${name}`))).toEqual([
        409,
        ["not_empty", "path", "project"],
      ]);
    }
  });
});
