import { parseSearch, searchableTexts, wordsOf } from "@agate/spans/search";
import fc from "fast-check";
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

/** A root and a span for each of these texts below it, named by their places. */
const treeOf = (...texts: readonly unknown[]) =>
  buildSpanTree(
    spanRecord({
      id: "root",
      children: texts.map((inputs, n) =>
        spanRecord({
          id: String(n),
          name: "step",
          record: { content: { inputs, internals: null, outputs: null } },
        }),
      ),
    }),
  );

it.each([
  ["cat", ["concatenate", "a cat"], "1"],
  ["creme", ["cream", "Crème brûlée"], "1"],
  ["order refund", ["order 7", "refund of order 7"], "1"],
  ['"order 7"', ["order", "7", { first: "order", second: "7" }, "my order: 7"], "3"],
  ["ref*", ["prefer", "the refund"], "1"],
  ["order refund", ["nothing", "a refund", "order 7"], "1"],
  ["order refund", ["nothing", "a refund"], undefined],
  ["cat", ["concatenate"], undefined],
  ["東京", ["東 と 京", "東京都"], "1"],
  ["", ["a cat"], undefined],
  ["!", ["a cat!"], undefined],
])("the first hit of %j in %j is %j", (search, texts, id) => {
  expect(indexSpans(treeOf(...texts)).firstHit(search)?.span.id).toBe(id);
});

it("passes a text of which no pattern finds the words", () => {
  const odd = `needle e${"\u0301".repeat(7_800_000)}`;
  expect(indexSpans(treeOf(odd, "needle")).firstHit("needle")?.span.id).toBe("1");
});

it("finds a text as it stands, and its words, in one order", () => {
  const find = (text: string) =>
    indexSpans(treeOf("concatenate", "a cat", "the refund of an order", "order refund"))
      .find(text)
      .map(({ span }) => span.id);
  expect(find("cat")).toEqual(["0", "1"]);
  expect(find("order refund")).toEqual(["2", "3"]);
  expect(find("er ref")).toEqual(["3"]);
  expect(find("order cat")).toEqual(["1", "2", "3"]);
  expect(find("order dog")).toEqual([]);
});

it("has the first hit of a naive search in random spans", () => {
  const piece = fc.constantFrom("a", "B", "ab", "á", " ", "-", "東", "7", "ı", "İ", "ß", "\n");
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
  const term = fc.oneof(
    text,
    text.map((each) => `"${each}"`),
    text.map((each) => `${each}*`),
  );
  const searches = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(" "));
  fc.assert(
    fc.property(
      fc.array(fc.array(text, { maxLength: 2 }), { maxLength: 4 }),
      searches,
      (spans, search) => {
        const { nodes, ...rest } = treeOf(...spans);
        const terms = parseSearch(search);
        const has = nodes.map(({ span }) =>
          terms.map(({ words, isPrefix }) =>
            searchableTexts(span).some((each) => {
              const there = wordsOf(each);
              return there.some((_, from) =>
                words.every((word, n) =>
                  isPrefix && n === words.length - 1
                    ? there[from + n]?.startsWith(word)
                    : there[from + n] === word,
                ),
              );
            }),
          ),
        );
        const all = has.findIndex((ofSpan) => ofSpan.every(Boolean));
        const isFound = terms.every((_, n) => has.some((ofSpan) => ofSpan[n]));
        const some = isFound ? has.findIndex((ofSpan) => ofSpan.some(Boolean)) : -1;
        const first = terms.length === 0 ? -1 : all >= 0 ? all : some;
        expect(indexSpans({ nodes, ...rest }).firstHit(search)).toBe(nodes[first]);
      },
    ),
  );
});

it("indexes content nested deeper than the call stack", () => {
  let deep: unknown = "needle";
  for (let n = 0; n < 50_000; n += 1) deep = [deep];
  const record = { content: { inputs: deep, internals: null, outputs: null } };
  const trace = buildSpanTree(spanRecord({ id: "a", record }));
  expect(indexSpans(trace).find("needle")).toHaveLength(1);
});
