import { expect, it } from "vitest";
import type { PlatformClient, RequestOptions } from "./platform-client.ts";
import { readTracePage } from "./traces.ts";

const request = { view: "traces", filters: {}, bounds: () => ({}), range: "all" } as const;

/** A platform that answers with so many records, page by page. */
function platform(...counts: readonly number[]) {
  const asked: unknown[] = [];
  const get = async (path: string, { query }: RequestOptions = {}) => {
    if (path === "/observability/failed-spans/") return { counts: { "0-1": 2, other: 1 } };
    const page = asked.length;
    asked.push(query?.cursor);
    const items = Array.from({ length: counts[page] ?? 0 }, (_, n) => record(`${page}-${n}`));
    return { items, next_cursor: page + 1 < counts.length ? `after ${page}` : null };
  };
  return { asked, client: { get } as Pick<PlatformClient, "get"> };
}

function record(id: string) {
  return {
    id,
    trace_id: id,
    name: id,
    spankind: "TASK",
    status: "OK",
    created_at: "2026-11-15T10:00:00.000000Z",
    variant: { variant_id: null, variant_name: null, revision: null },
    content: { inputs: null, outputs: null },
    metadata: { attributes: {}, total: { usage: null, cost: null }, latency: 1 },
  };
}

it("ends where the platform's page ends, however short that is", async () => {
  const { client } = platform(3, 2);
  const page = await readTracePage(client, request, null);
  expect(page.rows.map(({ key }) => key)).toEqual(["0-0", "0-1", "0-2"]);
  expect(page.next).toMatchObject({ cursor: "after 0", after: { key: "0-2" } });
});

it("says how many spans of a trace failed, below a top that is fine", async () => {
  const { rows } = await readTracePage(platform(3).client, request, null);
  expect(rows.map(({ failedSpans }) => failedSpans)).toEqual([0, 2, 0]);
});

it("asks for failed spans of a hundred traces at a time, and shows rows without an answer", async () => {
  const asked: number[] = [];
  const { client } = platform(201);
  const get = async (path: string, options: RequestOptions = {}) => {
    if (path !== "/observability/failed-spans/") return client.get(path, options);
    asked.push(String(options.query?.trace_ids).split(",").length);
    throw new Error("overloaded");
  };
  const counting = { get } as Pick<PlatformClient, "get">;
  const { rows } = await readTracePage(counting, request, null);
  expect(asked).toEqual([100, 100, 1]);
  expect(rows).toHaveLength(201);
});

it("reads on where a page is empty and is not the last", async () => {
  const { client, asked } = platform(0, 0, 1, 5);
  const page = await readTracePage(client, request, null);
  expect(asked).toEqual([null, "after 0", "after 1"]);
  expect(page.rows.map(({ key }) => key)).toEqual(["2-0"]);
  expect(page.next?.cursor).toBe("after 2");
});

it("is empty at last where nothing is left", async () => {
  const { client } = platform(0, 0);
  expect(await readTracePage(client, request, null)).toEqual({ rows: [], next: null });
});
