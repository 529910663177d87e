import { expect, it } from "vitest";
import { indexSpans } from "./search-spans.ts";
import { spanRecord } from "./span-record.fixture.ts";
import { buildSpanTree } from "./span-tree.ts";

const tree = buildSpanTree(
  spanRecord({
    id: "0a1b",
    name: "Plan a trip",
    record: {
      content: {
        inputs: { city: "Berne", notes: ['said "hi"\nthere'] },
        internals: null,
        outputs: 42,
      },
    },
    children: [
      spanRecord({ id: "0c2d", name: "chat", record: { spankind: "LLM" } }),
      spanRecord({ id: "0e3f", name: "İstanbul", metadata: { status_message: "Timed out" } }),
    ],
  }),
);
const found = (text: string) =>
  indexSpans(tree)
    .find(text)
    .map(({ span }) => span.id);

it.each([
  ["plan A", ["0a1b"]],
  ["0C2D", ["0c2d"]],
  ["llm", ["0c2d"]],
  ["berne", ["0a1b"]],
  ["city", ["0a1b"]],
  ["42", ["0a1b"]],
  ['"hi"\nthere', ["0a1b"]],
  ["timed", ["0e3f"]],
  ["0", ["0a1b", "0c2d", "0e3f"]],
  ["nowhere", []],
  ["   ", []],
])("%j is found in %j", (text, ids) => {
  expect(found(text)).toEqual(ids);
});

it("indexes content nested deeper than the call stack", () => {
  let deep: unknown = "needle";
  for (let n = 0; n < 50_000; n += 1) deep = [deep];
  const record = { content: { inputs: deep, internals: null, outputs: null } };
  const trace = buildSpanTree(spanRecord({ id: "a", record }));
  expect(indexSpans(trace).find("needle")).toHaveLength(1);
});
