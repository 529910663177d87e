import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import {
  APPLICATIONS,
  faults,
  makeApplication,
  sendJson,
} from "../registry/testing/registry-client.fixture.ts";
import { routesOpenapi } from "../registry/testing/workflow-openapi.fixture.ts";

const MAX_BODY = 16 * 1024 * 1024;
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ maxBodyBytes: MAX_BODY });
});
afterAll(() => platform.close());

const ALL = "/registry/testsets";
let made = 0;

/** A test set that a test has for itself; gives its path. */
async function makeSet(bound_to: object | null = null): Promise<string> {
  const slug = `set-${++made}`;
  const answer = await sendJson(platform, "POST", ALL, { slug, bound_to });
  expect(answer.status, answer.body.toString()).toBe(201);
  expect(answer.headers.location).toBe(`${ALL}/${slug}`);
  return `${ALL}/${slug}`;
}

const call = (method: string, path: string, body?: unknown) =>
  sendJson(platform, method, path, body);
const upload = (path: string, type: string, body: string) =>
  platform.send({ method: "POST", path, headers: { "content-type": type }, body });

describe("a test set over HTTP", () => {
  it("is created, listed, changed, committed to, read, compared and deleted", async () => {
    const path = await makeSet();
    expect((await call("PATCH", path, { description: "Golden" })).json).toMatchObject({
      description: "Golden",
      latest_revision: 0,
    });
    const { items } = (await call("GET", ALL)).json;
    expect(items).toContainEqual((await call("GET", path)).json);

    const rows = [
      { id: "a", inputs: { n: 1 } },
      { id: "b", inputs: { n: 2 }, expected: null },
    ];
    const first = await call("POST", `${path}/revisions`, { rows, base_revision: 0 });
    expect(first.status).toBe(201);
    expect(first.headers.location).toBe(`${path}/revisions/1`);
    expect(first.json).toMatchObject({ test_set: { revision: 1 }, added: 2, unchanged: 0 });
    const same = await call("POST", `${path}/revisions`, { rows, base_revision: 1 });
    expect([same.status, same.headers.location]).toEqual([200, undefined]);
    expect(same.json).toMatchObject({ test_set: { revision: 1 }, added: 0, unchanged: 2 });
    const stale = await call("POST", `${path}/revisions`, { rows: [], base_revision: 0 });
    expect(faults(stale)).toEqual([409, ["revision_stale", "body", "base_revision"]]);

    const patch = {
      ...{ upsert: [{ id: "b", inputs: { n: 3 } }, { inputs: { n: 4 } }], delete: ["a"] },
      ...{ base_revision: 1, message: "Fix b" },
    };
    const second = await call("POST", `${path}/revisions`, patch);
    expect(second.json).toMatchObject({ added: 1, changed: 1, removed: 1, unchanged: 0 });
    const history = (await call("GET", `${path}/revisions`)).json.items;
    expect(history).toMatchObject([
      { test_set: { revision: 2 }, message: "Fix b", created_by: "local", rows: 2 },
      { test_set: { revision: 1 }, rows: 2 },
    ]);
    expect((await call("GET", `${path}/revisions/latest`)).json).toEqual(history[0]);

    const page = (await call("GET", `${path}/revisions/latest/rows?limit=1`)).json;
    expect(page).toMatchObject({ revision: 2, items: [{ id: "b", inputs: { n: 3 } }] });
    const rest = `${path}/revisions/2/rows?cursor=${page.next_cursor}`;
    expect((await call("GET", rest)).json).toMatchObject({
      items: [{ inputs: { n: 4 } }],
      next_cursor: null,
    });
    const wrong = await call("GET", `${path}/revisions?cursor=${page.next_cursor}`);
    expect(faults(wrong)).toEqual([422, ["cursor_invalid", "query", "cursor"]]);

    const diff = (await call("GET", `${path}/diff?from=1&to=2&limit=2`)).json;
    expect(diff).toMatchObject({ added: 1, changed: 1, removed: 1, from: { revision: 1 } });
    const last = await call("GET", `${path}/diff?from=1&to=2&cursor=${diff.next_cursor}`);
    expect([...diff.items, ...last.json.items].map(({ id, change }) => [id, change])).toEqual([
      ["a", "removed"],
      ["b", "changed"],
      [expect.stringMatching(/^[0-9a-f]{16}$/), "added"],
    ]);
    expect((await call("GET", `${path}/diff?from=0&to=1`)).json.added).toBe(2);
    expect(faults(await call("GET", `${path}/diff?from=1&to=3`))).toEqual([
      404,
      ["revision_not_found", "query", "to"],
    ]);

    expect((await call("POST", `${path}/rows/b/purge`)).status).toBe(204);
    expect((await call("GET", `${path}/revisions/1/rows`)).json.items[1]).toMatchObject({
      ...{ id: "b", inputs: {}, purged: true },
    });
    expect(faults(await call("POST", `${path}/rows/nope/purge`))).toEqual([
      404,
      ["test_row_not_found", "path", "row"],
    ]);
    expect((await call("DELETE", path)).status).toBe(204);
    expect(faults(await call("GET", path))).toEqual([
      404,
      ["test_set_not_found", "path", "testset"],
    ]);
  });

  it("names every row that is wrong", async () => {
    const path = `${await makeSet()}/revisions`;
    const rows = [{ inputs: {} }, { inputs: 1 }, 7];
    expect(faults(await call("POST", path, { rows, base_revision: 0 }))).toEqual([
      422,
      ["rows_invalid", "body", "rows", 1, "inputs"],
      ["rows_invalid", "body", "rows", 2],
    ]);
    expect(faults(await call("POST", path, { upsert: [{}], base_revision: 0 }))).toEqual([
      422,
      ["rows_invalid", "body", "upsert", 0, "inputs"],
    ]);
    for (const body of [{}, { rows: [], upsert: [] }, { rows: [], delete: [] }]) {
      expect(faults(await call("POST", path, { ...body, base_revision: 0 }))).toEqual([
        422,
        ["body_invalid", "body"],
      ]);
    }
  });

  it("ends a page at 8 MiB, and has one row on it at least", async () => {
    const path = await makeSet();
    const big = (id: string) => ({ id, inputs: { text: "x".repeat(1_048_000) } });
    const rows = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(big);
    const body = { rows, base_revision: 0 };
    expect((await call("POST", `${path}/revisions`, body)).status).toBe(201);
    const first = (await call("GET", `${path}/revisions/1/rows`)).json;
    expect(first.items).toHaveLength(8);
    const query = `?cursor=${first.next_cursor}`;
    expect((await call("GET", `${path}/revisions/1/rows${query}`)).json.items).toHaveLength(1);
    const exported = await platform.send({ path: `${path}/revisions/1/export` });
    expect(exported.body.toString().trimEnd().split("\n")).toHaveLength(9);
  });
});

describe("files of test sets", () => {
  it("are imported and exported again without a change", async () => {
    const path = await makeSet();
    const jsonl = '{"inputs":{"text":"a"},"expected":1}\n{"inputs":{"text":"a"},"tags":["x"]}\n';
    const first = await upload(`${path}/import?message=First`, "application/jsonl", jsonl);
    expect([first.status, first.json.added]).toEqual([201, 2]);
    const again = await upload(`${path}/import?base_revision=1`, "application/x-ndjson", jsonl);
    expect([again.status, again.json.unchanged]).toEqual([200, 2]);
    const exported = await platform.send({ path: `${path}/revisions/latest/export` });
    expect(exported.headers["content-type"]).toBe("application/jsonl");
    const text = exported.body.toString();
    expect(text.split("\n").map((line) => line && JSON.parse(line).id)).toEqual([
      ...[expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}-2$/), ""],
    ]);
    expect((await upload(`${path}/import`, "application/jsonl", text)).json.unchanged).toBe(2);
    const stale = await upload(`${path}/import?base_revision=0`, "text/csv", "inputs.text\na\n");
    expect(faults(stale)).toEqual([409, ["revision_stale", "body", "base_revision"]]);
  });

  it("are CSV as their headers or the query say, typed by the route", async () => {
    const app = await makeApplication(platform);
    const openapi = routesOpenapi({ "/summarize": {} }) as { paths: Record<string, never> };
    const text = JSON.stringify(openapi).replace(
      '{"text":{"type":"string"}}',
      '{"text":{"type":"string"},"n":{"type":"integer"}}',
    );
    const schema = `${APPLICATIONS}/${app.slug}/schema`;
    expect((await call("PUT", schema, JSON.parse(text))).status).toBe(200);
    const path = await makeSet({ application: app.slug, route: "/summarize" });
    const csv = '\uFEFFkey,text,n,label\r\nk1,"a, b",3,x\r\n';
    const query = "?id=key&inputs=text,n&expected=label";
    const imported = await upload(`${path}/import${query}`, "text/csv; charset=utf-8", csv);
    expect(imported.status, imported.body.toString()).toBe(201);
    expect((await call("GET", `${path}/revisions/1/rows`)).json.items).toEqual([
      {
        ...{ id: "k1", inputs: { text: "a, b", n: 3 }, expected: "x" },
        ...{ metadata: {}, tags: [], source: null },
      },
    ]);
    const wrong = await upload(`${path}/import`, "text/csv", "inputs.text,inputs.n\na,1\nb,x\n");
    expect(wrong.json.detail).toEqual([
      {
        ...{ type: "rows_invalid", loc: ["body", 3, "inputs.n"] },
        msg: 'Line 3, inputs.n: Must be a number (got "x").',
      },
    ]);
    const misfit = await upload(`${path}/import`, "application/jsonl", '\n{"inputs":{"n":1.5}}');
    expect(faults(misfit)).toEqual([422, ["rows_invalid", "body", 2, "inputs", "n"]]);
  });

  it.each([
    ["application/json", "{}", [415, ["content_type_unsupported", "header", "content-type"]]],
    ["text/csv", "", [422, ["rows_invalid", "body", 1]]],
    ["application/jsonl", "\n", [422, ["rows_invalid", "body"]]],
    ["application/jsonl", "{", [422, ["rows_invalid", "body", 1]]],
    ["text/csv", "x".repeat(MAX_BODY + 1), [413, ["body_too_large", "body"]]],
  ])("are refused as %s where they are not what they must be", async (type, body, fault) => {
    const path = await makeSet();
    expect(faults(await upload(`${path}/import`, type, body))).toEqual(fault);
  });
});
