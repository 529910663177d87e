import { expect, it } from "vitest";
import { toLoggedRow } from "./to-logged-row.ts";
import { TraceAdditions } from "./trace-additions.ts";

const KIB = 1024;

function contentOf(spanId: string, text: string) {
  const content = { inputs: JSON.stringify(text), outputs: null, asked: [], answered: [] };
  const place = { project: "p", traceId: "t", spanId, loggedAt: 1, receivedAt: 1 };
  const row = toLoggedRow(content, place);
  if (row === undefined) throw new Error("too long");
  return { span_id: spanId, record: row.record };
}

it("reads the content of as many spans as have 1 MiB of it together, or of one", () => {
  const added = new TraceAdditions(
    [
      { span_id: "a", record: "", content_bytes: 600 * KIB },
      { span_id: "b", record: "", content_bytes: 400 * KIB },
      { span_id: "b", record: "", content_bytes: 24 * KIB },
      { span_id: "c", record: "", content_bytes: 1 },
      { span_id: "d", record: "", content_bytes: 3_000 * KIB },
    ],
    () => [],
  );
  const ids = ["a", "x", "b", "y", "c", "d", "z"];
  const groups: (readonly string[])[] = [];
  for (let rest = ids; rest.length > 0; rest = rest.slice(groups.at(-1)?.length)) {
    groups.push(added.fitting(rest, (id) => id));
  }
  expect(groups).toEqual([["a", "x", "b", "y"], ["c"], ["d"], ["z"]]);
});

it("asks only for the content of spans that have any, once for all of them", async () => {
  const asked: (readonly string[])[] = [];
  const score = '{"name":"helpful"}';
  const added = new TraceAdditions(
    [
      { span_id: "a", record: "", content_bytes: 10 },
      { span_id: "b", record: score, content_bytes: null },
      { span_id: "", record: score, content_bytes: null },
    ],
    (spanIds) => {
      asked.push(spanIds);
      return [contentOf("a", "hello")];
    },
  );
  const of = await added.of(["a", "b", "c"]);
  expect(asked).toEqual([["a"]]);
  expect(of("a", false)).toMatchObject({ hasContent: true, afterTotal: "" });
  expect(of("a", true)).toMatchObject({ hasContent: true, afterTotal: `,"scores":[${score}]` });
  expect(of("b", false)).toMatchObject({ hasContent: false, afterTotal: `,"scores":[${score}]` });
  expect(of("c", false)).toMatchObject({ hasContent: false, afterTotal: "" });
  await added.of(["b", "c"]);
  expect(asked).toHaveLength(1);
});
