import type { SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectedTree } from "../../stores/contract/expected-tree.fixture.ts";
import { family } from "../../stores/contract/family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
const UPPER = "ABCDEF00112233445566778899AABBCC";

beforeAll(async () => {
  platform = await startTestPlatform();
  await platform.append(family());
  const pieces = family().map((span) => ({ ...span, traceId: traceIdOf(2) }));
  for (const piece of pieces) await platform.append([renamed(piece, `b${piece.id.slice(1)}`)]);
  await platform.append([storedSpan({ traceId: UPPER.toLowerCase(), id: "abcdefabcdefabcd" })]);
});
afterAll(() => platform.close());

/** The same span in trace 2, under ids of its own. */
function renamed(span: StoredSpan, id: string): StoredSpan {
  const parentId = span.parentId && `b${span.parentId.slice(1)}`;
  const openRecord = span.openRecord
    .replace(`"id":"${span.id}"`, `"id":"${id}"`)
    .replace(traceIdOf(1), traceIdOf(2))
    .replace(`"parent_span_id":"${span.parentId}"`, `"parent_span_id":"${parentId}"`);
  return { ...span, id, parentId, openRecord };
}

const traceCases = [
  { how: "in one commit", id: traceIdOf(1), rename: (span: StoredSpan) => span },
  {
    how: "span by span",
    id: traceIdOf(2),
    rename: (span: StoredSpan) =>
      renamed({ ...span, traceId: traceIdOf(2) }, `b${span.id.slice(1)}`),
  },
];

describe.each(traceCases)("a trace that arrived $how", ({ id, rename }) => {
  const expected: SpanRecord = expectedTree(family().map(rename));

  it("is answered as a tree, with and without the slash, and with an unknown parameter", async () => {
    for (const end of ["/", "", "/?unknown=1", "?type=other"]) {
      const response = await platform.get(`/observability/traces/${id}${end}`);
      expect(response.status).toBe(200);
      expect(response.json).toEqual(expected);
      expect(response.headers["content-length"]).toBe(String(response.body.length));
    }
  });

  it("gives a span with what is below it", async () => {
    const child = expected.children?.[0] as SpanRecord;
    expect(child.children).toHaveLength(1);
    for (const end of ["/", "", "/?type=generation", "?type=bad&type=generation", "/?other=x"]) {
      const response = await platform.get(`/observability/spans/${child.id}${end}`);
      expect(response.status).toBe(200);
      expect(response.json).toEqual(child);
    }
  });

  it("answers HEAD like GET, without the body", async () => {
    for (const path of [`/observability/traces/${id}/`, `/observability/spans/${expected.id}`]) {
      const get = await platform.get(path);
      const head = await platform.send({ method: "HEAD", path });
      expect(head.status).toBe(200);
      expect(head.headers["content-length"]).toBe(String(get.body.length));
    }
  });
});

it("matches hex ids in either case, and a dashed UUID", async () => {
  const uuid = UPPER.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  for (const id of [UPPER, UPPER.toLowerCase(), uuid, uuid.toLowerCase()]) {
    expect((await platform.get(`/observability/traces/${id}/`)).json.trace_id).toBe(
      UPPER.toLowerCase(),
    );
  }
  const span = await platform.get("/observability/spans/ABCDEFABCDEFABCD/");
  expect(span.json.id).toBe("abcdefabcdefabcd");
});

it("answers 404 for an id that is well formed but not there", async () => {
  for (const id of ["a", "Z_-9", "f".repeat(32), "x".repeat(128)]) {
    const trace = await platform.get(`/observability/traces/${id}/`);
    expect(trace.status).toBe(404);
    expect(trace.json.detail).toMatchObject([
      { loc: ["path", "trace_id"], type: "trace_not_found" },
    ]);
    const span = await platform.get(`/observability/spans/${id}`);
    expect(span.status).toBe(404);
    expect(span.json.detail).toMatchObject([{ loc: ["path", "span_id"], type: "span_not_found" }]);
  }
});

it.each([
  "x".repeat(129),
  "a.b",
  "a%20b",
  "a%2Fb",
  "%",
  "%zz",
  "%ff",
  "%00",
  "%F0%9F%92%8E",
  "..%2f..%2fetc",
  "a'--",
])("answers 422 for the id %s", async (id) => {
  for (const [list, name] of [
    ["traces", "trace_id"],
    ["spans", "span_id"],
  ]) {
    const response = await platform.get(`/observability/${list}/${id}/`);
    expect(response.status).toBe(422);
    expect(response.json.detail).toMatchObject([{ loc: ["path", name], type: "id_invalid" }]);
  }
});

it("knows only one type of span", async () => {
  for (const type of ["chat", "", "GENERATION"]) {
    const response = await platform.get(`/observability/spans/${spanIdOf(1)}/?type=${type}`);
    expect(response.status).toBe(422);
    expect(response.json.detail).toMatchObject([
      { loc: ["query", "type"], type: "value_not_allowed" },
    ]);
    expect(response.json.detail[0].msg).toContain("generation");
  }
  const both = await platform.get("/observability/spans/a.b/?type=chat");
  expect(both.json.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ["path", "span_id"],
    ["query", "type"],
  ]);
});
