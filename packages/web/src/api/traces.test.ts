import { expect, it } from "vitest";
import type { PlatformClient, RequestOptions } from "./platform-client.ts";
import { readTracePage } from "./traces.ts";

const request = { view: "traces", filters: {}, bounds: () => ({}), range: "all" } as const;

/** A platform that answers with so many records, page by page. */
function platform(...counts: readonly number[]) {
  const asked: unknown[] = [];
  const get = async (_path: string, { query }: RequestOptions = {}) => {
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
