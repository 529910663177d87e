import type { ListedSpan } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectedPreview } from "../../stores/contract/expected-preview.fixture.ts";
import { withoutChildren } from "../../stores/contract/expected-tree.fixture.ts";
import {
  spanIdOf,
  storedSpan,
  traceIdOf,
  usageOf,
} from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
let nextSpan = 1;

/** A trace of a top and one child. */
function trace(n: number, sketch: Parameters<typeof storedSpan>[0] = {}): StoredSpan[] {
  const top = storedSpan({
    traceId: traceIdOf(n),
    id: spanIdOf(nextSpan++),
    start: n * 1000,
    name: `trace ${n}`,
    ...sketch,
  });
  const child = storedSpan({
    traceId: traceIdOf(n),
    id: spanIdOf(nextSpan++),
    parentId: top.id,
    start: n * 1000 + 1,
    name: "child",
  });
  return [top, child];
}

beforeAll(async () => {
  platform = await startTestPlatform();
  await platform.append([
    ...trace(1, {
      application: "shop",
      route: "/sum up",
      variant: "v1",
      revision: 3,
      environment: "production",
      userId: "ada",
      sessionId: "s 1",
      latency: 100,
    }),
    ...trace(2, { status: "ERROR", kind: "AGENT", latency: 2000, inputs: "the quick brown fox" }),
    ...trace(3, { figures: { role: "own", usage: usageOf(1, 1), cost: 0.5 }, name: "naïve & co" }),
  ]);
  await platform.store.searchCaughtUp();
});
afterAll(() => platform.close());

async function namesAt(path: string): Promise<string[]> {
  const response = await platform.get(path);
  expect(response.status).toBe(200);
  return response.json.items.map(({ name }: ListedSpan) => name);
}

describe("filters", () => {
  it.each([
    ["", ["naïve & co", "trace 2", "trace 1"]],
    ["application=shop", ["trace 1"]],
    ["route=/sum+up", ["trace 1"]],
    ["route=/", []],
    ["variant=v1", ["trace 1"]],
    ["variant=v1&revision=3", ["trace 1"]],
    ["variant=v1&revision=2", []],
    ["environment=production", ["trace 1"]],
    ["user_id=ada", ["trace 1"]],
    ["session_id=s+1", ["trace 1"]],
    ["session=s%201", ["trace 1"]],
    ["status=ERROR", ["trace 2"]],
    ["any_error=true", ["trace 2"]],
    ["any_error=false&application=&limit=2", ["naïve & co", "trace 1"]],
    ["spankind=AGENT", ["trace 2"]],
    ["name=na%C3%AFve+%26+co", ["naïve & co"]],
    ["min_latency=100", ["trace 2", "trace 1"]],
    ["min_latency=100.5", ["trace 2"]],
    ["min_cost=0.5", ["naïve & co"]],
    ["q=quick+fox", ["trace 2"]],
    ["q=%22quick+brown%22", ["trace 2"]],
    ["q=%22quick+fox%22", []],
    ["from=2026-11-01T00:00:00.002Z", ["naïve & co", "trace 2"]],
    ["to=2026-11-01T00:00:00.002Z", ["trace 1"]],
    ["from=2026-11-01T01:00:00.002%2B01:00&to=2026-11-01T00:00:00.002001Z", ["trace 2"]],
    ["from=2026-11-02", []],
    ["status=OK&status=ERROR", ["trace 2"]],
    ["status=&application=&limit=&cursor=&from=", ["naïve & co", "trace 2", "trace 1"]],
    ["unknown=1&status=ERROR", ["trace 2"]],
    ["status=ERROR&application=shop", []],
  ])("?%s", async (query, names) => {
    expect(await namesAt(`/observability/traces/?${query}`)).toEqual(names);
    expect(await namesAt(`/observability/traces?${query}`)).toEqual(names);
  });

  it("look at spans one by one in the list of spans", async () => {
    expect(await namesAt("/observability/spans/?name=child")).toHaveLength(3);
    expect(await namesAt("/observability/spans?status=ERROR")).toEqual(["trace 2"]);
  });
});

it("lists records as the trace endpoint shows them, without children", async () => {
  const list = await platform.get("/observability/traces/?limit=1");
  const single = await platform.get(`/observability/traces/${traceIdOf(3)}/`);
  expect(list.json.items).toEqual([withoutChildren(single.json)]);
});

it.each(["traces", "spans"])(
  "lists previews of long values of %s unless all is asked for",
  async (kind) => {
    const inputs = { messages: [{ role: "user", content: "What is agate? ".repeat(20_000) }] };
    const n = kind === "traces" ? 70 : 71;
    await platform.append(trace(n, { inputs, userId: `long ${kind}`, start: -n }));
    const list = (query: string) =>
      platform.get(`/observability/${kind}/?user_id=long%20${kind}${query}`);
    const { json: full } = await list("&content=full");
    expect(full.items).toMatchObject([{ content: { inputs } }]);
    for (const query of ["", "&content=preview"]) {
      const { json: previews } = await list(query);
      expect(previews).toEqual({ items: full.items.map(expectedPreview), next_cursor: null });
      expect(previews.items[0].truncated).toEqual({
        "content.inputs": JSON.stringify(inputs).length,
      });
    }
  },
);

describe("a bad parameter", () => {
  it.each([
    ["content=all", "content", "value_not_allowed", "preview or full"],
    ["status=ok", "status", "value_not_allowed", "UNSET, OK or ERROR"],
    ["any_error=1", "any_error", "value_not_allowed", "true or false"],
    ["spankind=llm", "spankind", "value_not_allowed", "WORKFLOW"],
    ["limit=0", "limit", "out_of_range", "1 to 1000"],
    ["limit=1001", "limit", "out_of_range", "1 to 1000"],
    ["limit=ten", "limit", "number_invalid", "1 to 1000"],
    ["limit=1.5", "limit", "number_invalid", "1 to 1000"],
    ["limit=1e2", "limit", "number_invalid", "1 to 1000"],
    ["min_latency=fast", "min_latency", "number_invalid", "a number"],
    ["min_latency=Infinity", "min_latency", "number_invalid", "a number"],
    ["min_latency=1e999", "min_latency", "number_invalid", "a number"],
    ["min_cost=-1", "min_cost", "out_of_range", "0"],
    ["min_cost=0x10", "min_cost", "number_invalid", "a number"],
    ["from=yesterday", "from", "date_time_invalid", "ISO 8601"],
    ["from=1969-12-31", "from", "date_time_invalid", "1970"],
    ["from=9999-01-01", "from", "date_time_invalid", "2254"],
    ["from=2026-02-30", "from", "date_time_invalid", "ISO 8601"],
    ["from=2026-11-01T00:00:00", "from", "date_time_invalid", "Z or an offset"],
    ["to=2026-11-01T25:00:00Z", "to", "date_time_invalid", "ISO 8601"],
    ["to=1794736800000", "to", "date_time_invalid", "ISO 8601"],
    ["from=2026-11-02&to=2026-11-01", "from", "time_range_invalid", "before"],
    ["from=2026-11-02&to=2026-11-02", "from", "time_range_invalid", "before"],
    ["cursor=x", "cursor", "cursor_invalid", "next_cursor"],
    ["cursor=%00", "cursor", "cursor_invalid", "next_cursor"],
    [`q=${"x".repeat(1001)}`, "q", "text_too_long", "1000"],
    [`session=${"x".repeat(16_001)}`, "session", "text_too_long", "16000"],
  ])("?%s is a 422 that says what is allowed", async (query, name, type, hint) => {
    for (const list of ["traces", "spans"]) {
      const response = await platform.get(`/observability/${list}/?${query}`);
      expect(response.status).toBe(422);
      expect(response.json.detail).toMatchObject([{ loc: ["query", name], type }]);
      expect(response.json.detail[0].msg).toContain(hint);
    }
  });

  it("does not hide another", async () => {
    const response = await platform.get("/observability/traces/?limit=0&status=x&cursor=y&from=z");
    expect(response.json.detail.map(({ loc }: { loc: string[] }) => loc[1]).sort()).toEqual([
      "cursor",
      "from",
      "limit",
      "status",
    ]);
  });

  it("is a cursor of the other list", async () => {
    const { next_cursor: cursor } = (await platform.get("/observability/spans/?limit=1")).json;
    const response = await platform.get(`/observability/traces/?cursor=${cursor}`);
    expect(response.json.detail).toMatchObject([{ type: "cursor_invalid" }]);
  });
});

describe.each(["traces", "spans"])("paging through %s", (list) => {
  it("gives every item once, however many arrive meanwhile", async () => {
    const before: string[] = [];
    for (let cursor: string | null = "", rest = ""; cursor !== null; rest = `&cursor=${cursor}`) {
      const page = await platform.get(`/observability/${list}/?limit=1000${rest}`);
      before.push(...page.json.items.map(({ id }: ListedSpan) => id));
      cursor = page.json.next_cursor;
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let n = 100; cursor !== null; n++) {
      const rest: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await platform.get(`/observability/${list}/?limit=2${rest}`);
      seen.push(...page.json.items.map(({ id }: ListedSpan) => id));
      cursor = page.json.next_cursor;
      await platform.append(trace(list === "traces" ? n : n + 1000));
    }
    expect(seen).toEqual(before);
  });
});
